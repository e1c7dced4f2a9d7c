package catchlens.fault;

import java.util.Locale;

/** The kinds of faults. What each is to the operating system stands beside it. */
public enum FaultType {
    /** Reading a file fails (EIO). */
    DISK_READ,
    /** Writing to a file fails (EIO). */
    DISK_WRITE,
    /** The device has no space left for what is written (ENOSPC). */
    DISK_FULL,
    /** The user's quota is used up (EDQUOT). */
    QUOTA,
    /** A file or folder is not there when it is opened, renamed or deleted (ENOENT). */
    MISSING,
    /** The process may open no more files (EMFILE). */
    OPEN_FILES,
    /** Opening, renaming or deleting is denied (EACCES). */
    PERMISSION,
    /** The file system is mounted for reading only (EROFS). */
    READ_ONLY,
    /** Renaming fails (EBUSY). */
    RENAME,
    /** What was written cannot be brought to the device (EIO of fsync). */
    SYNC,
    /** Nobody listens at the peer (ECONNREFUSED). */
    CONNECT_REFUSED,
    /** The peer does not answer to connecting (ETIMEDOUT). */
    CONNECT_TIMED_OUT,
    /** There is no way to the peer (EHOSTUNREACH). */
    UNREACHABLE,
    /** The peer resets the connection (ECONNRESET). */
    RESET,
    /** Nothing comes from the peer: reads wait until their timeout. */
    READ_TIMED_OUT,
    /** The peer no longer reads (EPIPE). */
    BROKEN_PIPE;

    /** The name that catchlens uses, such as {@code disk-full}. */
    public String kind() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether it strikes a peer; else it strikes a file or folder. */
    public boolean network() {
        return compareTo(CONNECT_REFUSED) >= 0;
    }
}
