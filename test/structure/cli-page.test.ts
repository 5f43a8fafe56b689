// docs/cli.md has the current usage of every command. `npm run build && node dist/tools/cli-page.js` writes it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blocksOf, cliPage, usageByCommand } from '../../tools/cli-page.js';

test('docs/cli.md shows the usage of every command, in the order of the help', async () => {
  const [blocks, usage] = [blocksOf(cliPage()), await usageByCommand()];
  assert.deepEqual([...blocks.keys()].sort(), [...usage.keys()].sort());
  for (const [command, text] of usage) assert.equal(blocks.get(command), text, `shelfmark ${command}`);
});
