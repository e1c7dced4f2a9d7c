// What VS Code's API shows of catchlens in a workspace of two folders: lenses,
// hovers, code actions, call hierarchy, commands, and a server that ends.
const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');

async function until(what, f, seconds = 90) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const value = await f();
    if (value) return value;
    if (Date.now() > end) throw new Error(`waited ${seconds} s for ${what}`);
    await new Promise(r => setTimeout(r, 100));
  }
}

module.exports = async (vscode, lap) => {
  const command = (name, ...args) => vscode.commands.executeCommand(name, ...args);
  const lensesOf = async uri => (await command('vscode.executeCodeLensProvider', uri, 100)).filter(l => l.command?.command.startsWith('catchlens.'));
  const folders = vscode.workspace.workspaceFolders;
  assert.deepEqual(folders.map(f => f.name), ['one', 'two']);

  const files = ['filedrop/FileStore.java', 'second/Second.java'].map((f, i) => vscode.Uri.joinPath(folders[i].uri, 'src/main/java', f));
  for (const [i, file] of files.entries()) {
    const document = await vscode.workspace.openTextDocument(file);
    await vscode.window.showTextDocument(document, { preview: false });
    assert.equal(document.languageId, 'java');
    const lenses = await until(`lenses in ${file.path}`, async () => { const l = await lensesOf(file); return l.length >= [18, 2][i] && l; });
    for (const lens of lenses) {
      const line = document.lineAt(lens.range.start.line).text;
      assert.equal(document.getText(lens.range), 'catch', `a lens stands on its catch, not on "${line}"`);
    }
    const at = lenses.find(l => l.command.command === 'catchlens.runCatch').range.start;
    const hovers = await command('vscode.executeHoverProvider', file, at);
    assert.match(hovers[0].contents[0].value, /\*\*\d+ failures?, (none|not) tested\*\*/);
  }
  lap('lenses and hovers in both folders');

  const file = files[0], document = await vscode.workspace.openTextDocument(file);
  const line = document.getText().split('\n').findIndex((l, i, all) => l.includes('catch (IOException e)') && all[i + 1].includes('discard(part)'));
  const at = new vscode.Position(line, document.lineAt(line).text.indexOf('catch') + 1);
  const actions = await command('vscode.executeCodeActionProvider', file, new vscode.Range(at, at));
  const titles = actions.map(a => a.title);
  for (const title of ['Run this catch', 'Run all catches', 'Show all chains of this catch']) assert.ok(titles.includes(title), `code actions: ${titles.join(', ')}`);
  assert.ok(titles.some(t => t.startsWith('Mark as impossible: ')), titles.join(', '));
  assert.ok(actions.every(a => !a.kind || !vscode.CodeActionKind.Source.contains(a.kind)), 'actions are offered at the cursor');
  const none = await command('vscode.executeCodeActionProvider', file, new vscode.Range(0, 0, 0, 0));
  assert.deepEqual(none.filter(a => a.command?.command.startsWith('catchlens.')), [], 'no actions elsewhere');
  lap('code actions');

  const [root] = await command('vscode.prepareCallHierarchy', file, at);
  assert.match(root.name, /^catch in FileStore\.write/);
  const calls = await command('vscode.provideOutgoingCalls', root);
  assert.ok(calls.length > 0 && calls.every(c => /:\d+/.test(c.to.name)), 'the way of an exception has a first step, with its line');
  const incoming = await command('vscode.provideIncomingCalls', root);
  assert.deepEqual(incoming.map(c => c.from.name), calls.map(c => c.to.name), 'both directions have rows');
  lap(`call hierarchy: ${calls.length} ways from ${root.name}`);

  const status = await command('catchlens.status');
  assert.ok(status.catches > 40 && status.trusted, JSON.stringify(status));
  lap(`status: ${status.catches} catches`);

  // The servers: children of this process whose program is called catchlens. Other children may have that word in their paths.
  const pids = () => execFileSync('ps', ['-e', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n')
    .map(line => line.trim().split(/\s+/)).filter(([, parent, program]) => Number(parent) === process.pid && program.endsWith('/catchlens')).map(([pid]) => pid);
  const [first] = pids();
  assert.ok(first, 'the server is a child of the extension host');
  process.kill(Number(first), 'SIGKILL');
  const second = await until('another server after the first was killed', () => pids().find(pid => pid !== first));
  await until('lenses from it', async () => (await lensesOf(file)).length >= 18);
  lap('a killed server is replaced');

  await command('catchlens.restart');
  await until('another server after the restart', () => { const now = pids(); return now.length === 1 && now[0] !== second; });
  await until('lenses from it', async () => (await lensesOf(file)).length >= 18);
  lap('restart');

  const settings = vscode.workspace.getConfiguration('catchlens');
  await settings.update('lens', false, vscode.ConfigurationTarget.Global);
  await until('lenses to go', async () => (await lensesOf(file)).length === 0);
  await settings.update('lens', undefined, vscode.ConfigurationTarget.Global);
  await until('lenses to return', async () => (await lensesOf(file)).length >= 18);
  lap('a changed setting reaches the server');

  await settings.update('server.path', '/nowhere/catchlens', vscode.ConfigurationTarget.Global);
  await until('the server to end', () => pids().length === 0);
  assert.deepEqual(await lensesOf(file), []);
  await settings.update('server.path', undefined, vscode.ConfigurationTarget.Global);
  await until('lenses once the path is right', async () => (await lensesOf(file)).length >= 18);
  lap('a wrong path is an error, the right one mends it');
};
