// How many lines of TypeScript there are: source, unit tests beside it, test/, and bench/ with tools/. A ratchet that prints them: a smaller
// project lowers the bounds. Each has 1 % of room, so that a fix does not stop at it. To raise one, for a feature that needs it, set it to the
// printed number and say in the commit what the lines buy.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../support/spawned-server.js';

const ROOM = 1.01;
/** Demo and examples count as source. */
const BOUNDS = { source: 91_420, unit: 34_030, test: 43_060, tools: 4_630 } as const;

type Part = keyof typeof BOUNDS;

const FOLDERS: Readonly<Record<string, Part>> = {
  packages: 'source',
  demo: 'source',
  examples: 'source',
  test: 'test',
  bench: 'tools',
  tools: 'tools',
};

function partOf(folder: string, path: string): Part {
  const part = FOLDERS[folder] ?? 'source';
  return part === 'source' && /\.test\.(?:fixture\.)?ts$/.test(path) ? 'unit' : part;
}

test('the project has no more lines than before', t => {
  const lines: Record<Part, number> = { source: 0, unit: 0, test: 0, tools: 0 };
  for (const folder of Object.keys(FOLDERS))
    for (const name of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
      if (!/\.tsx?$/.test(name) || name.includes('node_modules')) continue;
      lines[partOf(folder, name)] += readFileSync(join(ROOT, folder, name), 'utf8').split('\n').length - 1;
    }
  const all = Object.values(lines).reduce((sum, count) => sum + count, 0);
  t.diagnostic(`lines of TypeScript: ${JSON.stringify(lines)}, in all ${all}`);
  const exceeded = Object.entries(BOUNDS).filter(([part, bound]) => lines[part as Part] > bound * ROOM);
  assert.deepEqual(exceeded, [], `There are ${JSON.stringify(lines)}`);
});
