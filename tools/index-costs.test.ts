// That docs/patterns/indexes.md, docs/patterns/lists.md and docs/patterns/one-to-many.md have the costs as they are counted.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { copyCosts } from './copy-costs.js';
import { indexCosts, listCosts } from './index-costs.js';

const pages = join(fileURLToPath(new URL('../..', import.meta.url)), 'docs', 'patterns');

for (const [name, costs] of [
  ['indexes.md', indexCosts],
  ['lists.md', listCosts],
  ['one-to-many.md', copyCosts],
] as const)
  test(`${name} has the costs as they are counted`, async () => {
    const text = readFileSync(join(pages, name), 'utf8');
    const table = await costs();
    assert(text.includes(`${table}\n`), `Write it anew: node dist/tools/write-index-costs.js\n${table}`);
  });
