// The table of a scan, its filter, and how many rows match.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rankOf } from '../load/template.js';
import { countOf, filterOf, MATCHES } from './scan-filter.js';
import { scansReport } from './scans-report.js';

test('a scan is reported by rows, and compared with the same scan of Shelfmark', () => {
  const of = { rows: 100_000, shape: 'wide' } as const;
  const report = scansReport([
    { ...of, subject: 'shelfmark', match: 'none', milliseconds: 50, longestPage: 20 },
    { ...of, subject: 'shelfmark', match: 'all', milliseconds: 500, longestPage: 30 },
    { ...of, subject: 'azurite', match: 'all', milliseconds: 2_000, longestPage: 40 },
    { ...of, subject: 'lmdb', milliseconds: 25 },
  ]);
  assert.match(report, /^100,000 +wide +none +shelfmark +50 +2,000,000 +500 +20$/m);
  assert.match(report, /^100,000 +wide +all +azurite +2,000 +50,000 +20,000 +40 +4 x$/m);
  assert.match(report, /^100,000 +wide +\(walk\) +lmdb +25 +4,000,000 +250 +0\.5 x$/m);
});

test('the number of matching rows is right', () => {
  for (const match of MATCHES) {
    const bound = Number(/%20lt%20(\d+)$/.exec(filterOf(match))?.[1]);
    for (const rows of [100, 10_000, 25_000]) {
      const ranks = Array.from({ length: rows }, (_, row) => rankOf(row));
      assert.equal(countOf(match, rows), ranks.filter(rank => rank < bound).length, `${match} of ${rows}`);
    }
  }
  assert.deepEqual(
    MATCHES.map(match => countOf(match, 100_000)),
    [0, 100, 100_000],
  );
});
