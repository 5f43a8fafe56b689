// Writes the table of what indexes cost into docs/patterns/indexes.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { indexCosts } from './index-costs.js';

const page = join(fileURLToPath(new URL('../..', import.meta.url)), 'docs', 'patterns', 'indexes.md');
const table = await indexCosts();
const text = readFileSync(page, 'utf8').replace(
  /\| requests \/ rows written \|(?:.*\n)(?:\|.*\n)*/,
  () => `${table}\n`,
);
writeFileSync(page, text);
process.stdout.write(`${table}\n`);
