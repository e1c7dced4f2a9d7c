// Packages the extension with the server inside:
//
//   node package.mjs                     catchlens.vsix for this machine
//   node package.mjs --target win32-arm64   catchlens-win32-arm64.vsix; several targets may be named
//   node package.mjs --all               one file for each platform
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = dirname(fileURLToPath(import.meta.url));
const repository = dirname(here);
/** VS Code's name of a platform -> Go's. */
const platforms = {
  'linux-x64': 'linux/amd64', 'linux-arm64': 'linux/arm64', 'darwin-x64': 'darwin/amd64', 'darwin-arm64': 'darwin/arm64',
  'win32-x64': 'windows/amd64', 'win32-arm64': 'windows/arm64',
};
const { values } = parseArgs({ options: { target: { type: 'string', multiple: true }, all: { type: 'boolean' } } });
const machine = `${process.platform}-${process.arch}`;
const targets = values.all ? Object.keys(platforms) : values.target ?? [machine];

const version = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')).version;
cpSync(join(repository, 'LICENSE'), join(here, 'LICENSE'));
const changes = readFileSync(join(repository, 'CHANGELOG.md'), 'utf8');
writeFileSync(join(here, 'CHANGELOG.md'), changes.replace(/\]\((?![a-z]+:|#)/g, '](../'));
const schema = 'catchlens.toml.schema.json';
cpSync(join(repository, 'docs/reference/schemas', schema), join(here, 'schemas', schema));
bundle();
for (const target of targets) {
  if (platforms[target] === undefined) fail(`${target}: not one of ${Object.keys(platforms).join(', ')}`);
  server(platforms[target]);
  const file = values.all || values.target ? `catchlens-${target}.vsix` : 'catchlens.vsix';
  run(['npx', 'vsce', 'package', '--no-dependencies', ...published(), '--target', target, '-o', file], here);
}

/**
 * Where the extension's page takes pictures and pages from: the links of README.md and CHANGELOG.md are
 * relative to this folder.
 */
function published() {
  const { url, directory } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')).repository;
  const base = url.replace(/\.git$/, '');
  return ['--baseContentUrl', `${base}/blob/HEAD/${directory}`, '--baseImagesUrl', `${base}/raw/HEAD/${directory}`];
}

/** The extension's code in one file, and the licences of what it contains. */
function bundle() {
  rmSync(join(here, 'dist'), { recursive: true, force: true });
  run(['npm', 'run', '--silent', 'build', '--', '--minify', '--metafile=dist/meta.json'], here);
  const inputs = Object.keys(JSON.parse(readFileSync(join(here, 'dist/meta.json'), 'utf8')).inputs);
  const packages = new Set(inputs.map(f => /^(node_modules\/(?:@[^/]+\/)?[^/]+)/.exec(f)?.[1]).filter(f => f !== undefined));
  const notices = [...packages].sort().map(folder => {
    const { name, version, license } = JSON.parse(readFileSync(join(here, folder, 'package.json'), 'utf8'));
    const text = ['LICENSE', 'License.txt', 'LICENSE.md', 'LICENSE.txt', 'license'].map(f => read(join(here, folder, f))).find(t => t !== undefined);
    if (text === undefined) fail(`${name} ${version} (${license}) has no licence file that could be passed on`);
    return `${name} ${version}\n\n${text.trim()}\n`;
  });
  rmSync(join(here, 'dist/meta.json'));
  notices.push(goNotices());
  writeFileSync(join(here, 'dist/third-party-licenses.txt'), notices.join(`\n${'-'.repeat(72)}\n\n`));
}

/** The licences of the Go modules that the server contains. */
function goNotices() {
  const { status, stdout } = spawnSync('go', ['run', './scripts/release', '-notices'],
    { cwd: repository, encoding: 'utf8', maxBuffer: 1 << 26, stdio: ['ignore', 'pipe', 'inherit'] });
  if (status !== 0) fail('the licences of the server\'s Go modules could not be had');
  return stdout;
}

function server(platform) {
  const [os, arch] = platform.split('/');
  rmSync(join(here, 'bin'), { recursive: true, force: true });
  mkdirSync(join(here, 'bin'));
  const program = join(here, 'bin', os === 'windows' ? 'catchlens.exe' : 'catchlens');
  run(['go', 'build', '-trimpath', '-ldflags', `-s -w -X main.version=${version}`, '-o', program, './cmd/catchlens'], repository,
    { CGO_ENABLED: '0', GOOS: os, GOARCH: arch });
}

function run([command, ...args], cwd, env = {}) {
  const { status, error } = spawnSync(command, args, { cwd, env: { ...process.env, ...env }, stdio: 'inherit', shell: process.platform === 'win32' });
  if (error !== undefined) fail(`${command}: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

function read(file) {
  try { return readFileSync(file, 'utf8'); } catch { return undefined; }
}

function fail(why) {
  console.error(why);
  process.exit(2);
}
