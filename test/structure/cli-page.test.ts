// docs/cli.md has the current help of every command. `npm run build && node dist/tools/cli-page.js` writes it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blocksOf, cliPage, helpByCommand } from '../../tools/cli-page.js';

test('docs/cli.md shows the help of every command, in the order of the help', async () => {
  const [blocks, help] = [blocksOf(cliPage()), await helpByCommand()];
  assert.deepEqual([...blocks.keys()].sort(), [...help.keys()].sort());
  for (const [command, text] of help) assert.equal(blocks.get(command), text, `shelfmark ${command}`);
});
