// The Java project that the editors open: examples/filedrop with its class files.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { out, repository } from './environment.mjs';

const example = join(repository, 'examples', 'filedrop');

/** Copies the project, compiled, into a folder and returns the copy's path. */
export function filedrop(folder, name = 'filedrop') {
  const copy = join(folder, name);
  cpSync(compiled(), copy, { recursive: true, preserveTimestamps: true });
  return copy;
}

/** The project compiled by its own build, once for each state of its sources. */
function compiled() {
  const files = ['pom.xml', ...readdirSync(join(example, 'src'), { recursive: true }).map(f => join('src', f)).filter(f => /\.\w+$/.test(f)).sort()];
  const hash = createHash('sha256');
  for (const f of files) hash.update(f).update(readFileSync(join(example, f)));
  const target = join(out, `filedrop-${hash.digest('hex').slice(0, 12)}`);
  if (existsSync(target)) return target;
  const making = `${target}.${process.pid}`;
  mkdirSync(making, { recursive: true });
  for (const part of ['pom.xml', 'src', 'README.md']) cpSync(join(example, part), join(making, part), { recursive: true });
  execFileSync('mvn', ['-B', '-q', '-Dstyle.color=never', '-f', join(making, 'pom.xml'), 'test-compile'], { stdio: 'inherit' });
  try {
    renameSync(making, target);
  } catch (e) { // another test file was faster
    if (!existsSync(target)) throw e;
    rmSync(making, { recursive: true });
  }
  return target;
}

/** Where the catch that these tests run stands: the second of FileStore.java, with its 0-based line. */
export const storeCatch = project => catchIn(project, 'FileStore.java', 'catch (IOException e)', 'discard(part)');

/** A catch with this clause whose body begins like this, with its 0-based line. */
export function catchIn(project, name, clause, body = '') {
  const file = join(project, 'src/main/java/filedrop', name);
  const lines = readFileSync(file, 'utf8').split('\n');
  const line = lines.findIndex((l, i) => l.includes(clause) && lines[i + 1]?.includes(body));
  return { file, line, character: lines[line]?.indexOf('catch') ?? -1 };
}
