// That docs/patterns/indexes.md has the costs of indexes as they are counted.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { indexCosts } from './index-costs.js';

const page = join(fileURLToPath(new URL('../..', import.meta.url)), 'docs', 'patterns', 'indexes.md');

test('the page has the costs as they are counted', async () => {
  const text = readFileSync(page, 'utf8');
  const table = await indexCosts();
  assert(text.includes(`${table}\n`), `Write it anew: node dist/tools/write-index-costs.js\n${table}`);
});
