// Stands between an editor and its language server and writes down what they say:
//
//   node record.mjs FOLDER PROGRAM ARGUMENT...
//
// Each start makes one file in FOLDER, named by time and process, with a JSON
// line for each message: {"at": milliseconds, "from": "client" | "server", "message": ...}.
import { spawn } from 'node:child_process';
import { mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const [folder, program, ...args] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const log = openSync(join(folder, `${Date.now()}-${process.pid}.jsonl`), 'w');
const server = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });

/** Returns a function that takes bytes as they come and writes down whole messages. */
function listen(from) {
  let held = Buffer.alloc(0);
  return bytes => {
    held = Buffer.concat([held, bytes]);
    for (let headEnd = held.indexOf('\r\n\r\n'); headEnd >= 0; headEnd = held.indexOf('\r\n\r\n')) {
      const length = Number(/^content-length: *(\d+)/im.exec(held.toString('latin1', 0, headEnd))?.[1]);
      const end = headEnd + 4 + length;
      if (!(held.length >= end)) return;
      const message = JSON.parse(held.toString('utf8', headEnd + 4, end));
      writeSync(log, `${JSON.stringify({ at: Date.now(), from, message })}\n`);
      held = held.subarray(end);
    }
  };
}

const ofClient = listen('client'), ofServer = listen('server');
process.stdin.on('data', bytes => { ofClient(bytes); server.stdin.write(bytes); });
process.stdin.on('end', () => server.stdin.end());
server.stdin.on('error', () => {}); // the server has gone; its exit code says so
server.stdout.on('data', bytes => { ofServer(bytes); process.stdout.write(bytes); });
server.on('error', e => { console.error(`${program}: ${e.message}`); process.exit(127); });
server.on('close', (code, signal) => { // after the last byte of its output
  process.exitCode = code ?? (signal ? 1 : 0);
  process.stdin.destroy();
});
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => server.kill(signal));
