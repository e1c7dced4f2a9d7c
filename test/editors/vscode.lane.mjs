// What VS Code does, one test after the other: beside it another process does what pages-nvim.lane.mjs has.
// Such a test waits for the screen most of the time.
import './vscode.test.mjs';
import './vscode-view.test.mjs';
import './vscode-tests.test.mjs';
import './vscode-actions.test.mjs';
import './vscode-trust.test.mjs';
import './vscode-api.test.mjs';
import './vscode-call-chains.test.mjs';
