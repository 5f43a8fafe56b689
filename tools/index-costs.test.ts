// The tables of costs on the pages are as counted, which takes some ten seconds: in `npm run verify patterns`.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { COST_PAGES } from './cost-pages.js';

const skip = process.env.SHELFMARK_LONG === undefined && 'runs in npm run verify patterns';

for (const { name, path, costs } of COST_PAGES)
  test(`${name} has the costs as they are counted`, { skip }, async () => {
    const text = readFileSync(path, 'utf8');
    const table = await costs();
    assert(text.includes(`${table}\n`), `Write it anew: node dist/tools/write-index-costs.js\n${table}`);
  });
