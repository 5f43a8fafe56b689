// Writes what indexes, lists and copies cost into docs/patterns/indexes.md, docs/patterns/lists.md and docs/patterns/one-to-many.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyCosts } from './copy-costs.js';
import { indexCosts, listCosts } from './index-costs.js';

const pages = join(fileURLToPath(new URL('../..', import.meta.url)), 'docs', 'patterns');

for (const [name, costs] of [
  ['indexes.md', indexCosts],
  ['lists.md', listCosts],
  ['one-to-many.md', copyCosts],
] as const) {
  const table = await costs();
  const page = join(pages, name);
  const text = readFileSync(page, 'utf8').replace(
    /\| requests \/ rows written \|(?:.*\n)(?:\|.*\n)*/,
    () => `${table}\n`,
  );
  writeFileSync(page, text);
  process.stdout.write(`${table}\n`);
}
