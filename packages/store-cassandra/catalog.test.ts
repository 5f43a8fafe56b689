// How a process looks for a space: once for all concurrent callers. A space that was there may be gone for a lease's
// time; one that was not there is looked for again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Row } from '#store';
import { Catalog } from './catalog.js';
import type { Commits } from './commit/commits.js';
import type { Partition } from './commit/partition.js';
import type { Ticks } from './ticks.js';

const ADDRESS = { account: 'a', service: 'table', name: 'things' };
const ROW: Row = { partition: '', key: 'sthings', version: 1n, value: Buffer.alloc(17, 0) };
const LEASE_MS = 60_000;

interface Look {
  answer(row: Row | undefined): void;
}

function catalogOf(looks: Look[], leaseMs = LEASE_MS): Catalog {
  const readKeys = (): Promise<object> =>
    new Promise(resolve => {
      const answer = (row: Row | undefined): void =>
        resolve({ fence: 1n, rows: new Map(row && [[row.key, row]]) });
      looks.push({ answer });
    });
  const partition = { readKeys } as unknown as Partition;
  return new Catalog({} as Commits, {} as Ticks, () => partition, { leaseMs });
}

const turn = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 2));

test('catalog: callers that ask while a space is looked for share the answer, and later ones get the cached one', async () => {
  const looks: Look[] = [];
  const catalog = catalogOf(looks);
  const asked = [catalog.get(ADDRESS)];
  await turn();
  for (let n = 0; n < 100; n++) asked.push(catalog.get(ADDRESS));
  await turn();
  assert.equal(looks.length, 1);
  looks[0]?.answer(ROW);
  for (const space of await Promise.all(asked)) assert.equal(space?.name, 'things');
  assert.equal((await catalog.get(ADDRESS))?.id, 0);
  assert.equal(looks.length, 1);
});

test('catalog: a space that was missing before the call is looked for again', async () => {
  const looks: Look[] = [];
  const catalog = catalogOf(looks);
  const first = catalog.get(ADDRESS);
  await turn();
  const later = [catalog.get(ADDRESS), catalog.get(ADDRESS)];
  looks[0]?.answer(undefined);
  assert.equal(await first, undefined);
  await turn();
  assert.equal(looks.length, 2);
  looks[1]?.answer(ROW);
  for (const space of await Promise.all(later)) assert.equal(space?.name, 'things');
});

test('catalog: without a lease nothing older than the question is an answer', async () => {
  const looks: Look[] = [];
  const catalog = catalogOf(looks, 0);
  const first = catalog.get(ADDRESS);
  await turn();
  const later = catalog.get(ADDRESS);
  looks[0]?.answer(ROW);
  await first;
  await turn();
  assert.equal(looks.length, 2);
  looks[1]?.answer(undefined);
  assert.equal(await later, undefined);
});
