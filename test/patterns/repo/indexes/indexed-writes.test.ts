// Every write of the vocabulary on an entity with indexes, by each kind of target and in each place where writes are: the cells of the table in docs/patterns/indexes.md.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredOf } from '#patterns';
import { change, deleteRows, type RowChange } from '#patterns/bulk';
import { collect, writeEach, written } from '../../support/collect.js';
import { before, FaultyClient } from '../../support/faulty-client.js';
import { ann, assertExact, ben, Person, rowsIn } from '../../support/indexed-entity.js';
import { describePeers, fresh, nextTurn, type Peer } from '../../support/peers.js';
import { rejects } from '../../support/rejects.js';

type Row = StoredOf<typeof Person>;

/** Ann after each write: all three keys differ from those before it. */
const now = { ...ann, last: 'Low', email: 'ann@y.org', badge: undefined } as const;

/** All that a merge may change. */
const patch = { last: now.last, email: now.email } as const;
const whoever = { key: ann, etag: '*' } as const;
const refOf = ({ etag }: Row) => ({ key: ann, etag });
const merged = { ...ann, ...patch };

interface Cell {
  readonly name: string;
  readonly write: 'replace' | 'merge' | 'upsert' | 'upsertMerge' | 'delete' | 'deleteIfExists';
  readonly args: (row: Row) => readonly unknown[];
  /** Of a repository's write. A batch refuses what needs a second one. */
  readonly requests: number;
  /** Ann afterwards. */
  readonly leaves: Partial<Row['value']> | undefined;
}

/** The row to be written, as a program may have it, and the requests that a write of it takes. */
const TARGETS: readonly (readonly [string, number, (row: Row) => unknown])[] = [
  ['a row that was read', 1, row => row],
  ['a key and an ETag', 2, refOf],
  ['a key, whatever is there', 2, () => whoever],
];
const IN_PART = ['what was read in part', 2, (row: Row) => ({ ...row, whole: false })] as const;

const cellsOf = (
  write: Cell['write'],
  targets: typeof TARGETS,
  leaves: Cell['leaves'],
  ...more: readonly unknown[]
): readonly Cell[] =>
  targets.map(([name, requests, targetOf]) => ({
    name: `${write} by ${name}`,
    write,
    args: row => [targetOf(row), ...more],
    requests,
    leaves,
  }));

const CELLS: readonly Cell[] = [
  ...cellsOf('replace', TARGETS, now, now),
  ...cellsOf('merge', TARGETS, merged, patch),
  { name: 'upsert', write: 'upsert', args: () => [now], requests: 2, leaves: now },
  { name: 'upsertMerge', write: 'upsertMerge', args: () => [now], requests: 2, leaves: merged },
  ...cellsOf('delete', [...TARGETS, IN_PART], undefined),
  ...cellsOf('deleteIfExists', [...TARGETS, IN_PART], undefined),
];

/** The write of this name, of a repository, a batch or bulk changes. */
const called = (on: object, { write }: Cell, args: readonly unknown[]): unknown =>
  Reflect.apply(Reflect.get(on, write), on, args);

async function prepared(peer: Peer) {
  const { db, table, repo, httpClient } = await fresh(peer, Person);
  const row = await repo.create(ann);
  await repo.create(ben);
  const exact = () => assertExact(db, table);
  return { table, db, repo, row, httpClient, exact, batch: () => db.batch(Person, ann, { table }) };
}

const plain = (value: object | undefined): unknown =>
  value && Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined));

describePeers('writes of rows with indexes', peer => {
  for (const cell of CELLS) {
    const { name, args, requests, leaves } = cell;
    const left = async ({ repo, exact }: Awaited<ReturnType<typeof prepared>>): Promise<void> => {
      assert.deepEqual(plain((await repo.get(ann))?.value), plain(leaves));
      await exact();
    };

    test(`${name}, by a repository`, async () => {
      const at = await prepared(peer);
      assert.equal(await at.httpClient.counted(async () => called(at.repo, cell, args(at.row))), requests);
      await left(at);
    });

    test(`${name}, in a batch`, async () => {
      const at = await prepared(peer);
      const batch = at.batch();
      const act = async () => {
        called(batch, cell, [Person, ...args(at.row)]);
        await batch.commit();
      };
      if (requests === 1) {
        await act();
        return left(at);
      }
      await rejects(act(), 'RowNotRead', { entity: 'Person', rowKey: 'person!000001' });
      assert.deepEqual((await at.repo.get(ann))?.value, ann);
    });

    test(`${name}, as a bulk write`, async () => {
      const at = await prepared(peer);
      await writeEach(at.db, [
        called(change, cell, [Person, ...args(at.row), { table: at.table }]) as RowChange,
      ]);
      await left(at);
    });
  }

  test('mutate', async () => {
    const { repo, httpClient, exact } = await prepared(peer);
    assert.equal(await httpClient.counted(() => repo.mutate(ann, () => now)), 2);
    assert.deepEqual(plain((await repo.get(ann))?.value), plain(now));
    await exact();
  });

  test('create, in a batch and as a bulk write', async () => {
    const { db, table, row, batch, exact } = await prepared(peer);
    const eve = { ...ann, id: 3, email: 'eve@x.org' };
    const [created] = await batch().create(Person, eve).conditionCheck(row).commit();
    assert.deepEqual(created.value, eve);
    const outcomes = await written(db, [
      change.create(Person, { ...eve, id: 4, email: 'ann@x.org' }, { table }),
      change.create(Person, { ...eve, id: 5, email: undefined }, { table }),
    ]);
    assert.deepEqual(outcomes, ['UniqueViolation', 'done']);
    await exact();
  });

  test('an unconditional write wins over others that come between its read and its write', async () => {
    const { table, repo, exact } = await prepared(peer);
    let left = 3;
    const merging = before('POST', () => repo.merge(whoever, { badge: --left }), left);
    const racing = peer.open({ httpClient: new FaultyClient(merging), sleep: nextTurn });
    await racing.repo(Person, { table }).upsert(now);
    assert.deepEqual(plain((await repo.get(ann))?.value), plain(now));
    await exact();
  });

  test('a key that one row leaves another takes in the same batch', async () => {
    const { repo, row, batch, exact } = await prepared(peer);
    const other = (await repo.get(ben)) ?? assert.fail();
    const swap = batch().merge(Person, row, { email: ben.email }).merge(Person, other, { email: ann.email });
    assert.equal(swap.size.operations, 6);
    const [swapped] = await swap.commit();
    await exact();
    const heir = { ...ben, id: 5, email: ben.email };
    await batch().create(Person, heir).delete(Person, swapped).commit();
    await exact();
  });

  test('a batch names the operation whose key is taken', async () => {
    const { row, batch, exact } = await prepared(peer);
    const taken = batch()
      .create(Person, { ...ben, id: 5, email: undefined })
      .merge(Person, row, { email: ben.email });
    await rejects(taken.commit(), 'BatchFailed', { index: 1, op: 'merge', reason: 'UniqueViolation' });
    const twice = batch().create(Person, { ...ben, id: 5, email: 'z' });
    const act = async () => twice.create(Person, { ...ben, id: 6, email: 'Z' });
    await rejects(act(), 'UniqueViolation', { key: { email: 'Z' } });
    await exact();
  });

  test('index rows count towards a batch', async () => {
    const { batch: begin, exact } = await prepared(peer);
    const batch = begin();
    for (let id = 100; id < 125; id++) batch.create(Person, { ...ann, id, email: `${id}` });
    const { operations, bytes } = batch.size;
    assert.equal(operations, 100);
    const act = async () => batch.create(Person, { department: 'Sales', id: 200, last: 'x' });
    await rejects(act(), 'TooManyOperations', { operations: 102, limit: 100 });
    assert.deepEqual(batch.size, { operations, bytes });
    await batch.commit();
    await exact();
  });

  test('many creates go in batches that hold their index rows', async () => {
    const { db, table, httpClient, exact } = await prepared(peer);
    const people = Array.from({ length: 200 }, (_, id) => ({ ...ann, id: 1_000 + id, email: `${id}` }));
    const changes = people.map(each => change.create(Person, each, { table }));
    assert.equal(await httpClient.counted(() => writeEach(db, changes)), 8);
    await exact();
  });

  test('a range of rows is deleted with its index rows', async () => {
    for (const conditional of [true, false])
      for (const selects of [true, false]) {
        const { db, table, repo, exact } = await prepared(peer);
        const range = repo.partition(ann).rows({});
        const rows = {
          async *pages() {
            for await (const page of (selects ? range.select() : range).pages()) {
              await repo.mutate(ann, row => row && { ...row, email: 'moved@x.org' });
              yield page;
            }
          },
        };
        const [page] = await collect(deleteRows(db, rows, { conditional }));
        assert.deepEqual([page?.deleted, page?.changed], conditional ? [1, 1] : [2, 0]);
        await exact();
        assert.equal((await rowsIn(db, table)).length, conditional ? 4 : 0);
      }
  });

  test('index rows are not deleted alone', async () => {
    const { db, repo, exact } = await prepared(peer);
    const deleting = deleteRows(db, repo.index('byName').partition(ann), { conditional: true });
    await rejects(deleting.next(), 'ValueInvalid', { property: 'rows' });
    await exact();
  });

  test('a row of a newer version is not written by a program that may not know all of its indexes', async () => {
    const { repo, row } = await prepared(peer);
    const newer = { ...row, version: 2 };
    await rejects(async () => repo.delete(newer), 'NewerVersion');
    await rejects(async () => repo.merge(newer, { last: 'x' }), 'NewerVersion');
    await rejects(async () => repo.replace(newer, now), 'NewerVersion');
  });
});
