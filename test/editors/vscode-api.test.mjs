// What VS Code's API shows of catchlens, seen by a second extension (probe/) in a
// workspace of two folders, with the server inside the .vsix.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { here, repository, temporary, until } from './lib/environment.mjs';
import { filedrop } from './lib/filedrop.mjs';
import { openVSCode } from './lib/vscode.mjs';

/** Another project, with one catch. */
function second(project) {
  const sources = join(project, 'src', 'main', 'java', 'second'), classes = join(project, 'target', 'classes');
  for (const d of [sources, classes]) mkdirSync(d, { recursive: true });
  writeFileSync(join(project, 'pom.xml'), '<project><modelVersion>4.0.0</modelVersion><groupId>example</groupId><artifactId>second</artifactId><version>1</version></project>\n');
  writeFileSync(join(sources, 'Second.java'), `package second;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

public class Second {
    public static void main(String[] args) {
        try {
            System.out.println(Files.readString(Path.of(args[0])));
        } catch (IOException e) {
            System.err.println(e.getMessage());
        }
    }
}
`);
  execFileSync('javac', ['-g', '--release', '11', '-d', classes, join(sources, 'Second.java')]);
}

test('VS Code, API: two folders, actions, call hierarchy, restarts, settings', { timeout: 600_000 }, async t => {
  const folder = temporary(t), verdict = join(folder, 'verdict.json'), probe = join(folder, 'probe.vsix'), workspace = join(folder, 'both.code-workspace');
  execFileSync(join(repository, 'vscode-extension', 'node_modules', '.bin', 'vsce'), ['package', '--no-dependencies', '--skip-license', '--allow-missing-repository', '-o', probe], { cwd: join(here, 'probe'), stdio: 'pipe' });
  filedrop(folder, 'one');
  second(join(folder, 'two'));
  writeFileSync(workspace, JSON.stringify({ folders: [{ path: 'one' }, { path: 'two' }] }));
  const vscode = await openVSCode(t, folder, workspace, { extensions: [probe], env: { CATCHLENS_PROBE: verdict }, settings: { 'catchlens.entryPoints': 'public' } }); // the second project has no tests
  await vscode.watch('vscode-api', async () => {
    const result = await until('the probe', () => existsSync(verdict) && readFileSync(verdict, 'utf8') && JSON.parse(readFileSync(verdict, 'utf8')), 500);
    for (const step of result.steps) t.diagnostic(step);
    assert.ok(result.ok, result.error);
  });
});
