// Outcomes of the Blob service as answers: the status, the headers and the document of each.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome } from '#blobs';
import { parseTarget } from '../shared/target.js';
import { parseXml } from '../shared/xml.js';
import { BLOB_GRAMMAR } from './blob-route.js';
import { formatBlobList, formatBlobOutcome, type ListOfBlobs } from './format-blob-outcome.js';

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

const LISTED: ListOfBlobs = {
  kind: 'blobs',
  entries: numbers.map(number => ({ kind: 'prefix', name: `é<${number}>` })),
  next: { blob: 'next', snapshot: undefined },
};
const FOUND: ListOfBlobs = {
  kind: 'found',
  blobs: numbers.map(number => ({ container: 'abc', blob: `${number}`, tags: [['k', `ü${number}`]] })),
  next: undefined,
};

for (const outcome of [LISTED, FOUND])
  test(`${outcome.kind}: a long list has all entries, and others have turns meanwhile`, async () => {
    let turns = 0;
    const count = (): void => {
      turns += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    const { body } = await formatBlobList(outcome, route, '2026-04-06');
    clearImmediate(timer);
    assert(turns >= 2, `${turns} turns`);
    const { children } = parseXml(body as Buffer);
    const names = children.find(({ name }) => name === 'Blobs')?.children.map(each => each.children[0]?.text);
    const expected = numbers.map(number => (outcome.kind === 'blobs' ? `é<${number}>` : `${number}`));
    assert.deepEqual(names, expected);
  });
