package fig4jdk;

import java.io.BufferedInputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;

/**
 * Figure 4 of paper 000 on the real library. CHA and RTA know of BufferedInputStream only that its
 * field holds some InputStream: each catch gets the reads of both, and of every other stream that
 * the program may create. Links as measured, of which about ten in readFile and twenty in readNet
 * can happen (the class's own checks and what its one stream throws), the rest being spurious:
 *
 * <pre>
 *                   JDK 17.0.15 (Linux)      JDK 25.0.3 (Linux)
 *                   readFile   readNet       readFile   readNet
 * CHA               149        150           103        104
 * RTA               105        106            90         91
 * pta, pta-dr        47, 47     48, 48        44, 44     45, 45
 * inpta              45         46            44         45
 * inpta-dr            7         13             8         19
 * </pre>
 *
 * Points-to analysis finds no datagrams and no serialization, but still one field for all
 * BufferedInputStreams. With constructors by call site each has its own stream, which changes
 * nothing in the call graph: fill still reads them all. DataReach then leaves what in.read can
 * come to in this try, and that is what can happen.
 *
 * What differs between the two catches is what their own tries call: opening the file (the native
 * and FileInputStream's constructor) on one side, Socket.getInputStream on the other (three throws).
 * All else is common,
 * and comes through the calls of read and available in BufferedInputStream. Of CHA and RTA, from
 * most to least:
 *
 * <ul>
 *   <li>sun.nio.ch, java.nio: ChannelInputStream.read calls ReadableByteChannel.read, which may be a
 *       file's channel or a datagram's;
 *   <li>java.net: the socket's own stream, and below DatagramChannelImpl.read, which binds its
 *       socket first, the whole of name resolution (UnknownHostException);
 *   <li>java.util.zip, java.util.jar, java.io: the streams with which class loading reads jars
 *       (Inflater, Zip and Jar streams over RandomAccessFile), and those of serialization
 *       (ObjectInputStream, PushbackInputStream);
 *   <li>JDK 17 only: MeteredStream.read closes what it has read to its end, and closing a
 *       FileInputStream closes every Closeable that shares its descriptor: encoders, writers, module
 *       readers, with CHA the zip and run-time image file systems too, down to deleting a file in a
 *       zip. RTA sees that no object of those two is made. With JDK 25 no link comes that way.
 * </ul>
 *
 * The numbers belong to a JDK's patch level and platform, because updates add checks to the zip and
 * net code and each platform has natives of its own; hence bounds, a tenth to either side.
 */
public class TransferJdk {
    static int c;
    static int failures;

    static void readFile(String s) {
        byte[] buffer = new byte[256];
        try {
            InputStream f = new FileInputStream(s);
            InputStream in = new BufferedInputStream(f);
            for (int i = 0; i < 4; i++) {
                c = in.read(buffer);
            }
            // the first two can happen, the other one is spurious
            //@ linkcount[jdk17,cha](min=91, max=111) linkcount[jdk17,rta](min=89, max=109)
            //@ linkcount[jdk25,cha](min=86, max=104) linkcount[jdk25,rta](min=78, max=94)
            //@ excludes("java/net/Socket.getInputStream")
            //@ excludes[inpta-dr+]("java/net/Socket.getInputStream", "sun/nio/ch/NioSocketImpl.implRead", "sun/nio/ch/NioSocketImpl.timedRead", "sun/nio/ch/NioSocketImpl.ensureOpenAndConnected", "sun/nio/ch/Net.available", "sun/nio/ch/SocketDispatcher.read0", "java/net/SocketInputStream.read", "java/net/SocketInputStream.socketRead0", "java/net/Socket$SocketInputStream.implRead")
            //@ linkcount[inpta-dr+](min=4, max=12)
            //@ includes[pta-dr]("java/io/FileInputStream.open0", "java/io/FileInputStream.readBytes", "sun/nio/ch/NioSocketImpl.implRead")
            //@ includes[inpta-dr+]("java/io/FileInputStream.open0", "java/io/FileInputStream.readBytes", "java/io/FileInputStream.available0")
            // the buffered stream is known to this method alone, and not closed before it is read
        } catch (IOException e) { //@ includes[cha]("java/io/FileInputStream.open0", "java/io/FileInputStream.readBytes", "sun/nio/ch/NioSocketImpl.implRead", "sun/nio/ch/SocketDispatcher.read0") includes[rta]("java/io/FileInputStream.open0", "java/io/FileInputStream.readBytes", "sun/nio/ch/NioSocketImpl.implRead", "sun/nio/ch/SocketDispatcher.read0") includes[pta]("java/io/FileInputStream.open0", "java/io/FileInputStream.readBytes", "sun/nio/ch/NioSocketImpl.implRead") handlers(1)
            failures++;
        }
    }

    static void readNet(Socket s) {
        byte[] buffer = new byte[256];
        try {
            InputStream n = s.getInputStream();
            InputStream in = new BufferedInputStream(n);
            for (int i = 0; i < 4; i++) {
                c = in.read(buffer);
            }
            // readBytes is spurious, and so is read0 by way of socket channels: implRead catches what
            // it throws and throws a SocketException. Points-to analysis finds no channel.
            //@ linkcount[jdk17,cha](min=92, max=112) linkcount[jdk17,rta](min=90, max=110)
            //@ linkcount[jdk25,cha](min=87, max=105) linkcount[jdk25,rta](min=79, max=95)
            //@ excludes("java/io/FileInputStream.open0")
            //@ excludes[inpta-dr+]("java/io/FileInputStream.open0", "java/io/FileInputStream.readBytes", "java/io/FileInputStream.available0", "java/io/RandomAccessFile.readBytes", "java/io/RandomAccessFile.readBytes0", "java/io/RandomAccessFile.seek0", "sun/nio/ch/FileDispatcherImpl.read0", "sun/nio/ch/UnixFileDispatcherImpl.read0", "sun/nio/ch/FileChannelImpl.ensureOpen", "java/util/zip/ZipFile$ZipFileInputStream.initDataOffset")
            //@ linkcount[inpta-dr+](min=11, max=21)
            //@ includes[pta-dr]("java/net/Socket.getInputStream", "sun/nio/ch/NioSocketImpl.implRead", "java/io/FileInputStream.readBytes")
            //@ includes[inpta-dr+]("java/net/Socket.getInputStream", "sun/nio/ch/NioSocketImpl.implRead", "sun/nio/ch/NioSocketImpl.timedRead")
        } catch (IOException e) { //@ includes[cha]("java/net/Socket.getInputStream", "sun/nio/ch/NioSocketImpl.implRead", "java/io/FileInputStream.readBytes", "sun/nio/ch/SocketDispatcher.read0") includes[rta]("java/net/Socket.getInputStream", "sun/nio/ch/NioSocketImpl.implRead", "java/io/FileInputStream.readBytes", "sun/nio/ch/SocketDispatcher.read0") includes[pta]("java/net/Socket.getInputStream", "sun/nio/ch/NioSocketImpl.implRead", "java/io/FileInputStream.readBytes") handlers(1)
            failures++;
        }
    }

    public static void main(String[] args) throws IOException {
        readFile(args[0]);
        try (Socket socket = new Socket(args[1], Integer.parseInt(args[2]))) {
            readNet(socket);
        }
    }
}
