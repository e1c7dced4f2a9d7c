// Where the programs of these tests are, and what all of them share.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, symlinkSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { check, read, records } from './conformance.mjs';

/** The folder of these tests, and the repository. */
export const here = dirname(import.meta.dirname);
export const repository = dirname(dirname(here));
/** What is worth keeping of a test run: screenshots, screens, records of sessions. */
export const out = join(here, 'out');
mkdirSync(out, { recursive: true });

/** Where a picture of the documentation is, for a test that was asked to make it anew; undefined otherwise. */
export const pictureFile = name => process.env.UPDATE_SCREENSHOT ? join(repository, 'docs', 'images', name) : undefined;

const editors = process.env.CATCHLENS_EDITORS ?? join(homedir(), '.cache', 'catchlens-editors');

/** The program of an editor; the test fails if scripts/install-editors.sh has not been run. */
function program(path) {
  const found = path.includes('/') ? [path] : (process.env.PATH ?? '').split(delimiter).map(d => join(d, path));
  const file = found.find(existsSync);
  assert.ok(file, `${path} is not there: run scripts/install-editors.sh`);
  return file;
}

export const codeServer = () => program(join(editors, 'code-server-4.100.3', 'code-server'));
export const chromium = () => program('chromium');
export const tmux = () => program('tmux');
/** Neovim of each version that is tested. */
export const nvims = {
  0.7: () => program('/usr/bin/nvim'),
  '0.10': () => program(join(editors, 'nvim-0.10', 'bin', 'nvim')),
  0.12: () => program(join(editors, 'nvim-0.12', 'bin', 'nvim')),
};

/** The folder of jdt.ls, with its plugins and its configuration. */
export const jdtls = () => dirname(program(join(editors, 'jdtls', 'plugins')));

/** A JDK of at least this version, found where the Go tests find theirs. */
export function jdk(least) {
  const installed = existsSync('/usr/lib/jvm') ? readdirSync('/usr/lib/jvm').map(d => join('/usr/lib/jvm', d)) : [];
  const found = [...(process.env.CATCHLENS_TEST_JDKS ?? '').split(delimiter), process.env.JAVA_HOME ?? '', ...installed].filter(d => d !== '' && existsSync(join(d, 'release')))
    .find(d => Number(/^JAVA_VERSION="(\d+)/m.exec(readFileSync(join(d, 'release'), 'utf8'))?.[1]) >= least);
  assert.ok(found, `no JDK ${least} or later: see scripts/check-jdks.sh`);
  return found;
}

/** The command line that records what a server says into a folder. */
export const recorded = (folder, ...command) => [process.execPath, join(here, 'lib', 'record.mjs'), folder, ...command];

/** Runs f after a test: what was made last is taken down first, and one failure does not keep the others from it. */
const ends = new WeakMap();
export function finallyDo(t, f) {
  if (!ends.has(t)) {
    ends.set(t, []);
    t.after(async () => {
      const errors = [];
      for (const end of ends.get(t).reverse()) {
        try { await end(); } catch (e) { errors.push(e); }
      }
      if (errors.length > 0) throw errors[0];
    });
  }
  ends.get(t).push(f);
}

/** A folder for one test, removed after it: again, while a program that has been told to end still writes to it. */
export function temporary(t) {
  const folder = mkdtempSync(join(tmpdir(), 'catchlens-editors-'));
  finallyDo(t, () => until(`${folder} to be removed`, () => {
    try {
      rmSync(folder, { recursive: true, force: true });
      return true;
    } catch (e) {
      if (e.code !== 'ENOTEMPTY' && e.code !== 'EBUSY') throw e;
      return false;
    }
  }));
  return folder;
}

/** What a cache folder keeps that depends on the JDK, on libraries and on the server alone, as in test/scratch. */
const kept = ['agent', 'probed', 'facts', join('classes', 'javac-server')];

/**
 * The cache folder of the servers of one test, without results: what takes long to make and is the same
 * for all tests is shared with those before. It is made if it is not there yet.
 */
export function cacheIn(folder) {
  const cache = join(folder, 'cache');
  for (const name of existsSync(cache) ? [] : kept) {
    const shared = join(out, 'cache', name);
    mkdirSync(shared, { recursive: true, mode: 0o700 });
    mkdirSync(dirname(join(cache, name)), { recursive: true, mode: 0o700 });
    symlinkSync(shared, join(cache, name));
  }
  return cache;
}

/** The cache folder of somebody who starts catchlens for the first time. */
export const emptyCacheIn = folder => join(folder, 'cache');

/** The server to test: CATCHLENS if it is set, else built from this repository, once for each test file. */
let built;
export function catchlens() {
  if (process.env.CATCHLENS) return process.env.CATCHLENS;
  if (built === undefined) {
    const making = join(out, 'bin', `catchlens.${process.pid}`);
    execFileSync('go', ['build', '-o', making, './cmd/catchlens'], { cwd: repository, stdio: 'inherit' });
    built = join(out, 'bin', 'catchlens');
    renameSync(making, built); // another test file may be running the one of before
  }
  return built;
}

/** Waits until f returns something true; fails with what was waited for. */
export async function until(what, f, seconds = 60) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const value = await f();
    if (value) return value;
    assert.ok(Date.now() < end, `waited ${seconds} s for ${what}`);
    await new Promise(r => setTimeout(r, 50));
  }
}

/** Prints how far a test is, and when. */
export function stopwatch(t) {
  const start = Date.now();
  return text => t.diagnostic(`${((Date.now() - start) / 1000).toFixed(2).padStart(6)} s  ${text}`);
}

/** Everything that was said in the records of a folder, oldest first. */
export const said = folder => existsSync(folder) ? records(folder).flatMap(f => readWhole(f)) : [];

/** A record that is still being written may end in the middle of a line. */
function readWhole(file) {
  const text = readFileSync(file, 'utf8');
  return text.slice(0, text.lastIndexOf('\n') + 1).split('\n').filter(l => l !== '').map(l => JSON.parse(l));
}

/** Waits until every request in these records is answered, or its server has been told to leave. */
export const settled = folder => until('every request to be answered', () =>
  records(folder).every(f => !check(readWhole(f)).problems.some(p => p.endsWith('was never answered'))));

/** Every message that a server sent in these records is valid, and they were the expected number of sessions. */
export function assertConformant(t, folder, sessions) {
  const files = records(folder);
  assert.equal(files.length, sessions, `sessions recorded in ${folder}`);
  for (const file of files) {
    const { problems, messages, methods } = check(read(file));
    assert.deepEqual(problems, [], `messages that are not valid in ${file}`);
    assert.ok(messages > 5, `${file} has only ${messages} messages of the server`);
    t.diagnostic(`${messages} messages of the server are valid: ${[...methods].map(([m, n]) => `${n} ${m}`).join(', ')}`);
  }
}
