// Pages and Neovim, one test after the other, beside vscode.lane.mjs.
import './nvim.test.mjs';
import './nvim-jdtls.test.mjs';
import './pages.test.mjs';
