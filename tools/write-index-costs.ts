// Writes the costs of indexes, lists, copies, shapes of rows, log books and encrypted values into their pages.
import { readFileSync, writeFileSync } from 'node:fs';
import { COST_PAGES } from './cost-pages.js';

for (const { path, costs } of COST_PAGES) {
  const table = await costs();
  const text = readFileSync(path, 'utf8').replace(
    /\| requests \/ rows written \|(?:.*\n)(?:\|.*\n)*/,
    () => `${table}\n`,
  );
  writeFileSync(path, text);
  process.stdout.write(`${table}\n`);
}
