// The manifest says what the code and the documentation say.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import test from 'node:test';
import { machineSettings, serverSettings } from '../src/settings';

interface Manifest {
  repository: { url: string; directory: string };
  contributes: {
    commands: { command: string }[];
    configuration: {
      title: string;
      properties: Record<string, { default: unknown; enum?: string[]; scope?: string; order?: number }>;
    }[];
    keybindings: { command: string; key: string; mac: string; when?: string }[];
    menus: Record<string, { command?: string; submenu?: string }[]>;
    submenus: { id: string }[];
    views: Record<string, { id: string }[]>;
    walkthroughs: { steps: { description: string; media: { markdown: string }; completionEvents: string[] }[] }[];
  };
  capabilities: { untrustedWorkspaces: { restrictedConfigurations: string[] } };
}

const file = (name: string): string => readFileSync(name, 'utf8'); // npm runs scripts in the extension's folder
const manifest = JSON.parse(file('package.json')) as Manifest;
const { configuration, commands, keybindings, menus, submenus, views, walkthroughs } = manifest.contributes;
type Properties = (typeof configuration)[number]['properties'];
const properties = Object.assign({}, ...configuration.map(c => c.properties)) as Properties;

test('every command of the manifest is registered, and none besides', () => {
  const code = file('src/commands.ts') + file('src/atcursor.ts') + file('src/chaincommands.ts');
  const registers = [/^ {2}'(catchlens\.[\w.]+)': (?:\[|')/gm, /\b(?:on|registerCommand)\('(catchlens\.[\w.]+)'/g];
  const registered = new Set(registers.flatMap(r => [...code.matchAll(r)]).map(m => m[1]));
  assert.deepEqual([...registered].sort(), commands.map(c => c.command).sort());
});

test('every setting of the server is in the manifest, and in docs/reference/settings.md with its values', () => {
  const page = file('../docs/reference/settings.md');
  const rows = new Map([...page.matchAll(/^\| `(\w+)` \| (.*?) \|/gm)].map(m => [m[1], m[2]]));
  rows.delete('trusted'); // is VS Code's own
  assert.deepEqual([...rows.keys()].sort(), [...serverSettings].sort());
  for (const name of serverSettings) {
    const property = properties[`catchlens.${name}`];
    assert.ok(property, `catchlens.${name} is not in package.json`);
    const row = rows.get(name) ?? '';
    const where = `docs/reference/settings.md: ${name}`;
    for (const value of property.enum ?? []) assert.ok(row.includes(`\`${value}\``), `${where} does not name ${value}`);
    if (!property.enum) continue;
    assert.ok(row.startsWith(`\`${String(property.default)}\``), `${where} does not begin with the default`);
  }
});

test('settings are in groups with titles, each in one and at a place of its own', () => {
  assert.ok(configuration.length > 1);
  const titles = configuration.map(c => c.title), names = configuration.flatMap(c => Object.keys(c.properties));
  assert.equal(new Set(titles).size, titles.length);
  assert.equal(new Set(names).size, names.length);
  for (const c of configuration) {
    const orders = Object.values(c.properties).map(p => p.order);
    assert.deepEqual(orders, orders.map((_, i) => i + 1), c.title);
  }
});

test('the page of the extension has its repository, and links and pictures that are there', () => {
  const path = /^module (\S+)$/m.exec(file('../go.mod'))?.[1];
  assert.equal(manifest.repository.url, `https://${String(path)}.git`);
  assert.ok(existsSync(`../${manifest.repository.directory}/package.json`));
  const links = [...file('README.md').matchAll(/(!?)\[[^\]]*\]\(([^)#]+)\)/g)];
  assert.ok(links.some(l => l[1] === '!'), 'there is a picture');
  for (const [, , link = ''] of links) assert.ok(link.startsWith('https:') || existsSync(link), link);
  assert.ok(file('.vscodeignore').includes('!CHANGELOG.md'), 'what is new is packaged');
});

test('menus, keys and the walkthrough name commands, contexts and files that are there', () => {
  const own = new Set(commands.map(c => c.command));
  const code = ['tree.ts', 'atcursor.ts'].map(f => file(`src/${f}`)).join('\n');
  const server = file('../codelens/lens.go');
  const known = (name: string): boolean =>
    own.has(name) || !name.startsWith('catchlens.') || server.includes(`"${name}"`);
  for (const item of Object.values(menus).flat()) {
    if (item.submenu !== undefined) assert.ok(submenus.some(s => s.id === item.submenu), item.submenu);
    else assert.ok(own.has(item.command ?? ''), item.command);
  }
  for (const k of ['key', 'mac'] as const) {
    assert.equal(new Set(keybindings.map(b => b[k])).size, keybindings.length, 'no two of one key');
  }
  for (const b of keybindings) {
    assert.ok(own.has(b.command), b.command);
    assert.match(b.when ?? '', /editorTextFocus && editorLangId == java/, 'keys are taken in Java files only');
  }
  for (const step of walkthroughs.flatMap(w => w.steps)) {
    assert.ok(existsSync(step.media.markdown), step.media.markdown);
    for (const [, name] of step.description.matchAll(/\(command:([\w.]+)/g)) assert.ok(known(name), name);
    assert.ok(step.completionEvents.length > 0);
    for (const e of step.completionEvents) {
      const [kind, what] = e.split(':');
      if (kind === 'onCommand') assert.ok(known(what), e);
      else if (kind === 'onView') assert.ok(views['catchlens'].some(v => v.id === what), e);
      else {
        const key = /^catchlens\.catches\.(\w+)/.exec(what)?.[1];
        assert.ok(kind === 'onContext' && key !== undefined, e);
        assert.ok(code.includes(`'catchlens.catches.${key}'`) || code.includes(`['${key}', `), e);
      }
    }
  }
});

test('the schema of catchlens.toml is packed', () => {
  assert.ok(existsSync('../docs/reference/schemas/catchlens.toml.schema.json'));
  assert.match(file('.vscodeignore'), /^!schemas\/\*\*$/m);
  assert.match(file('package.mjs'), /join\(here, 'schemas', schema\)/);
});

test('what names a program cannot come from an untrusted workspace', () => {
  const restricted = Object.keys(properties).filter(p => p.startsWith('catchlens.server.'));
  assert.deepEqual(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations, restricted);
});

test('what names a program or a folder to write to belongs to the user, never to a workspace', () => {
  const machine = Object.entries(properties).filter(([, p]) => p.scope === 'machine').map(([name]) => name);
  assert.deepEqual(machine.sort(), machineSettings.map(name => `catchlens.${name}`).sort());
  assert.ok(!Object.keys(properties).some(p => /trust/i.test(p)), 'trust is given in VS Code, not by a setting');
});
