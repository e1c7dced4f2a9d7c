// The manifest says what the code and the documentation say.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import test from 'node:test';
import { machineSettings, serverSettings } from '../src/settings';

interface Manifest {
  contributes: { commands: { command: string }[]; configuration: { properties: Record<string, { default: unknown; enum?: string[]; scope?: string }> } };
  capabilities: { untrustedWorkspaces: { restrictedConfigurations: string[] } };
}

const file = (name: string): string => readFileSync(name, 'utf8'); // npm runs scripts in the extension's folder
const manifest = JSON.parse(file('package.json')) as Manifest;
const properties = manifest.contributes.configuration.properties;

test('every command of the manifest is registered, and none besides', () => {
  const code = file('src/commands.ts');
  const registered = new Set([...code.matchAll(/^ {2}'(catchlens\.[\w.]+)': \[/gm), ...code.matchAll(/^ {2}'(catchlens\.[\w.]+)': '/gm), ...code.matchAll(/\bon\('(catchlens\.[\w.]+)'/g)].map(m => m[1]));
  assert.deepEqual([...registered].sort(), manifest.contributes.commands.map(c => c.command).sort());
});

test('every setting of the server is in the manifest, and in docs/reference/settings.md with its values', () => {
  const rows = new Map([...file('../docs/reference/settings.md').matchAll(/^\| `(\w+)` \| (.*?) \|/gm)].map(m => [m[1], m[2]]));
  rows.delete('trusted'); // is VS Code's own
  assert.deepEqual([...rows.keys()].sort(), [...serverSettings].sort());
  for (const name of serverSettings) {
    const property = properties[`catchlens.${name}`];
    assert.ok(property, `catchlens.${name} is not in package.json`);
    const row = rows.get(name) ?? '';
    for (const value of property.enum ?? []) assert.ok(row.includes(`\`${value}\``), `docs/reference/settings.md: ${name} does not name ${value}`);
    if (property.enum) assert.ok(row.startsWith(`\`${String(property.default)}\``), `docs/reference/settings.md: ${name} does not begin with the default`);
  }
});

test('the schema of catchlens.toml is packed', () => {
  assert.ok(existsSync('../docs/reference/schemas/catchlens.toml.schema.json'));
  assert.match(file('.vscodeignore'), /^!schemas\/\*\*$/m);
  assert.match(file('package.mjs'), /join\(here, 'schemas', schema\)/);
});

test('what names a program cannot come from an untrusted workspace', () => {
  assert.deepEqual(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations, Object.keys(properties).filter(p => p.startsWith('catchlens.server.')));
});

test('what names a program or a folder to write to belongs to the user, never to a workspace', () => {
  const machine = Object.entries(properties).filter(([, p]) => p.scope === 'machine').map(([name]) => name);
  assert.deepEqual(machine.sort(), machineSettings.map(name => `catchlens.${name}`).sort());
  assert.ok(!Object.keys(properties).some(p => /trust/i.test(p)), 'trust is given in VS Code, not by a setting');
});
