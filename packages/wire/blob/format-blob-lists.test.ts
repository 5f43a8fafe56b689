// Long lists: the same documents as short ones, written while others go on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTarget } from '../shared/target.js';
import { BLOB_GRAMMAR } from './blob-grammar.js';
import { type BlobsFound, formatBlobLists, formatLongList, isLongList } from './format-blob-lists.js';

const route = parseTarget(
  { target: '/acc/abc?prefix=%C3%A9&where=x', headers: { host: '127.0.0.1:1' }, secure: false },
  new Set(),
  BLOB_GRAMMAR,
);
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
