// Every write of the vocabulary on an entity with indexes, by each kind of target and in each place where writes are: the cells of the table in docs/patterns/indexes.md.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Db, PatternError, type StoredOf } from '#patterns';
import { change, deleteRows, type RowChange, writeAll } from '#patterns/bulk';
import { bags } from '#patterns/mixed';
import { before, FaultyClient } from '../../support/faulty-client.js';
import { ann, assertExact, ben, Person } from '../../support/indexed-entity.js';
import { describePeers, type Peer } from '../../support/peers.js';
import { rejects } from '../../support/rejects.js';

type Row = StoredOf<typeof Person>;

/** Ann after each write: all three keys differ from those before it. */
const now = { ...ann, last: 'Low', email: 'ann@y.org', badge: undefined } as const;

const batchOf = (db: Db, table: string) => db.batch(Person, ann, { table });

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
  const table = await peer.newTable();
  const httpClient = new FaultyClient();
  const db = peer.open({ httpClient });
  const repo = db.repo(Person, { table });
  const row = await repo.create(ann);
  await repo.create(ben);
  return { table, db, repo, row, httpClient };
}

async function written(db: Db, changes: Iterable<RowChange>): Promise<readonly string[]> {
  const said: string[] = [];
  for await (const report of writeAll(db, changes))
    said[report.index] = report.kind === 'done' ? 'done' : report.error.code;
  return said;
}

const plain = (value: object | undefined): unknown =>
  value && Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined));

describePeers('writes of rows with indexes', peer => {
  for (const cell of CELLS) {
    const { name, args, requests, leaves } = cell;
    const left = async ({ repo, db, table }: Awaited<ReturnType<typeof prepared>>): Promise<void> => {
      assert.deepEqual(plain((await repo.get(ann))?.value), plain(leaves));
      await assertExact(db, table);
    };

    test(`${name}, by a repository`, async () => {
      const at = await prepared(peer);
      assert.equal(await at.httpClient.counted(async () => called(at.repo, cell, args(at.row))), requests);
      await left(at);
    });

    test(`${name}, in a batch`, async () => {
      const at = await prepared(peer);
      const batch = batchOf(at.db, at.table);
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
      const own = called(change, cell, [Person, ...args(at.row), { table: at.table }]);
      assert.deepEqual(await written(at.db, [own as RowChange]), ['done']);
      await left(at);
    });
  }

  test('mutate', async () => {
    const { db, table, repo, httpClient } = await prepared(peer);
    assert.equal(await httpClient.counted(() => repo.mutate(ann, () => now)), 2);
    assert.deepEqual(plain((await repo.get(ann))?.value), plain(now));
    await assertExact(db, table);
  });

  test('create, in a batch and as a bulk write', async () => {
    const { db, table, row } = await prepared(peer);
    const eve = { ...ann, id: 3, email: 'eve@x.org' };
    const [created] = await batchOf(db, table).create(Person, eve).conditionCheck(row).commit();
    assert.deepEqual(created.value, eve);
    const said = await written(db, [
      change.create(Person, { ...eve, id: 4, email: 'ann@x.org' }, { table }),
      change.create(Person, { ...eve, id: 5, email: undefined }, { table }),
    ]);
    assert.deepEqual(said, ['UniqueViolation', 'done']);
    await assertExact(db, table);
  });

  test('an upsert makes a row where there is none', async () => {
    const { db, table, repo } = await prepared(peer);
    await repo.upsert({ ...ann, id: 8, email: 'x' });
    await repo.upsertMerge({ ...ann, id: 9, email: 'y' });
    await rejects(repo.upsert({ ...ann, id: 10 }), 'UniqueViolation', { index: 'byEmail' });
    await assertExact(db, table);
  });

  test('what a write by key and ETag does not find is told as ever', async () => {
    const { db, table, repo, row } = await prepared(peer);
    await repo.merge(row, { note: 'changed' });
    await rejects(repo.replace(refOf(row), now), 'Conflict', { etag: row.etag });
    await rejects(repo.delete(refOf(row)), 'Conflict');
    const nobody = { key: { department: 'Sales', id: 99 }, etag: '*' };
    await rejects(repo.merge(nobody, patch), 'NotFound');
    await rejects(repo.delete(nobody), 'NotFound');
    await repo.deleteIfExists(nobody);
    await assertExact(db, table);
  });

  test('an unconditional write wins over others that come between its read and its write', async () => {
    const { table, repo, db } = await prepared(peer);
    let left = 3;
    const merging = before('POST', () => repo.merge(whoever, { badge: --left }), left);
    const racing = peer.open({ httpClient: new FaultyClient(merging), sleep: async () => undefined });
    await racing.repo(Person, { table }).upsert(now);
    assert.deepEqual(plain((await repo.get(ann))?.value), plain(now));
    await assertExact(db, table);
  });

  test('two rows swap their unique keys in one batch', async () => {
    const { db, table, repo, row } = await prepared(peer);
    const other = await repo.get(ben);
    assert(other);
    const batch = batchOf(db, table)
      .merge(Person, row, { email: ben.email })
      .merge(Person, other, { email: ann.email });
    assert.equal(batch.size.operations, 6);
    await batch.commit();
    await assertExact(db, table);
    const hit = await repo.index('byEmail').get({ department: 'Sales', email: 'ann@x.org' });
    assert.equal(hit?.value.id, 2);
  });

  test('a key that one row leaves another takes in the same batch', async () => {
    const { db, table, row } = await prepared(peer);
    const heir = { ...ben, id: 5, email: ann.email };
    await batchOf(db, table).create(Person, heir).delete(Person, row).commit();
    await assertExact(db, table);
  });

  test('a batch names the operation whose key is taken', async () => {
    const { db, table, row } = await prepared(peer);
    const batch = batchOf(db, table)
      .create(Person, { ...ben, id: 5, email: undefined })
      .merge(Person, row, { email: ben.email });
    await rejects(batch.commit(), 'BatchFailed', { index: 1, op: 'merge', reason: 'UniqueViolation' });
    const twice = batchOf(db, table).create(Person, { ...ben, id: 5, email: 'z' });
    const act = async () => twice.create(Person, { ...ben, id: 6, email: 'Z' });
    await rejects(act(), 'UniqueViolation', { key: { email: 'Z' } });
    await assertExact(db, table);
  });

  test('index rows count towards a batch', async () => {
    const { db, table } = await prepared(peer);
    const batch = batchOf(db, table);
    for (let id = 100; id < 125; id++) batch.create(Person, { ...ann, id, email: `${id}` });
    assert.equal(batch.size.operations, 100);
    const { bytes } = batch.size;
    const act = async () => batch.create(Person, { department: 'Sales', id: 200, last: 'x' });
    await rejects(act(), 'TooManyOperations', { operations: 102, limit: 100 });
    assert.deepEqual(batch.size, { operations: 100, bytes });
    await batch.commit();
    await assertExact(db, table);
  });

  test('a thousand creates go in batches that hold their index rows', async () => {
    const { db, table, httpClient } = await prepared(peer);
    const people = Array.from({ length: 200 }, (_, id) => ({ ...ann, id: 1_000 + id, email: `${id}` }));
    const before = httpClient.count;
    const said = await written(
      db,
      people.map(each => change.create(Person, each, { table })),
    );
    assert(said.every(each => each === 'done'));
    assert.equal(httpClient.count - before, 8);
    await assertExact(db, table);
  });

  test('a range of rows is deleted with its index rows', async () => {
    for (const conditional of [true, false])
      for (const selects of [true, false]) {
        const { db, table, repo } = await prepared(peer);
        const range = repo.partition(ann).rows({});
        const rows = {
          async *pages() {
            for await (const page of (selects ? range.select() : range).pages()) {
              await repo.mutate(ann, row => row && { ...row, email: 'moved@x.org' });
              yield page;
            }
          },
        };
        for await (const { deleted, changed } of deleteRows(db, rows, { conditional }))
          assert.deepEqual([deleted, changed], conditional ? [1, 1] : [2, 0]);
        await assertExact(db, table);
        assert.equal((await bags(db, table).partition('Sales').take(9)).length, conditional ? 4 : 0);
      }
  });

  test('index rows are not deleted alone', async () => {
    const { db, repo, table } = await prepared(peer);
    const deleting = deleteRows(db, repo.index('byName').partition(ann), { conditional: true });
    await rejects(deleting.next(), 'ValueInvalid', { property: 'rows' });
    await assertExact(db, table);
  });

  test('a row of a newer version is not written by a program that may not know all of its indexes', async () => {
    const { repo, row } = await prepared(peer);
    const newer = { ...row, version: 2 };
    await rejects(async () => repo.delete(newer), 'NewerVersion');
    await rejects(async () => repo.merge(newer, { last: 'x' }), 'NewerVersion');
    assert(
      PatternError.is(await repo.replace(newer, now).catch((thrown: unknown) => thrown), 'NewerVersion'),
    );
  });
});
