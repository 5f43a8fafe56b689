// Outcomes of the Blob service as answers: the status, the headers and the document of each.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome } from '#blobs';
import { parseTarget } from '../shared/target.js';
import { BLOB_GRAMMAR } from './blob-route.js';
import {
  type BlobsFound,
  formatBlobLists,
  formatBlobOutcome,
  formatLongList,
  isLongList,
} from './format-blob-outcome.js';

const route = parseTarget(
  { target: '/acc/abc?prefix=%C3%A9&where=x', headers: { host: '127.0.0.1:1' }, secure: false },
  new Set(),
  BLOB_GRAMMAR,
);

test('outcomes that no recording has', () => {
  const shown = { route, version: '2026-04-06', overrides: undefined, rangeDigests: [] };
  const stamp = { etag: 0n, lastModified: 0n };
  for (const [outcome, status, ...names] of [
    [{ kind: 'sealed', stamp, length: 3 }, 200, 'Last-Modified', 'ETag', 'x-ms-blob-sealed'],
    [{ kind: 'tagsSet' }, 204],
    [{ kind: 'tierSet' }, 200],
  ] satisfies [Outcome, number, ...string[]][]) {
    const answer = formatBlobOutcome(outcome, shown);
    const headers = [...answer.content, ...answer.more].map(([name]) => name);
    assert.deepEqual([answer.status, answer.body, headers], [status, undefined, names], outcome.kind);
  }
});

const COUNT = 1000;
const numbers = Array.from({ length: COUNT }, (_, number) => number);

const LISTED: BlobsFound = {
  kind: 'blobs',
  entries: numbers.map(number => ({ kind: 'prefix', name: `é<${number}>` })),
  next: { blob: 'next', snapshot: undefined },
};
const FOUND: BlobsFound = {
  kind: 'found',
  blobs: numbers.map(number => ({ container: 'abc', blob: `${number}`, tags: [['k', `ü${number}`]] })),
  next: undefined,
};

for (const outcome of [LISTED, FOUND])
  test(`${outcome.kind}: the bytes of the long form are those of the text, and others have turns meanwhile`, async () => {
    let turns = 0;
    const count = (): void => {
      turns += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    const { body, ...facts } = await formatLongList(outcome, route, '2026-04-06');
    clearImmediate(timer);
    assert(turns >= 3, `${turns} turns`);
    const { body: text, ...same } = formatBlobLists(outcome, route, '2026-04-06');
    assert.deepEqual(facts, same);
    assert(Buffer.isBuffer(body) && typeof text === 'string');
    assert.equal(body.toString(), text);
  });

test('a list is long if it has more entries than a turn', () => {
  assert(isLongList(LISTED) && isLongList(FOUND));
  assert(!isLongList({ ...LISTED, entries: LISTED.entries.slice(0, 256) }));
  assert(!isLongList({ kind: 'tagsSet' }));
});
