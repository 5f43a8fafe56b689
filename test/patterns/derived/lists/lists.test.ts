// Lists of ids in rows: whatever writers do at the same time, the list has what they left in it, in one row or in chunks.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Db, key, t } from '#patterns';
import { type ListContention, list, lists } from '#patterns/lists';
import { onlyIn } from '../../../support/slow.js';
import { type FaultPlan, FaultyClient } from '../../support/faulty-client.js';
import { describePeers } from '../../support/peers.js';
import { rejects } from '../../support/rejects.js';

const ByLastName = list('EmployeesByLastName', {
  table: 'Staff',
  props: { department: t.string(), lastName: t.string() },
  partition: p => key(p.department),
  row: p => key('last', p.lastName),
});
const jones = { department: 'Sales', lastName: 'Jones' };
// @ts-expect-error the key of a list has all its parts
const half: Parameters<ReturnType<typeof lists<typeof ByLastName>>['ids']>[0] = { department: 'Sales' };
assert(half);

const long = (at: number): string => String(at).padStart(6, '0').padEnd(3_000, 'x');

describePeers('lists', peer => {
  const db = (plan: FaultPlan = () => undefined): { db: Db; httpClient: FaultyClient } => {
    const httpClient = new FaultyClient(plan);
    return { db: peer.open({ httpClient }), httpClient };
  };

  test('ids are added and removed, whatever they hold', async () => {
    const table = await peer.newTable();
    const { db: opened, httpClient } = db();
    const staff = lists(opened, ByLastName, { table });
    assert.deepEqual(await staff.ids(jones), []);
    await staff.add(jones, ['000152', 'a,b', 'a\u0000b', '', 'é', '000152']);
    assert.deepEqual(await staff.ids(jones), ['', '000152', 'a\u0000b', 'a,b', 'é']);
    httpClient.count = 0;
    assert.equal(await staff.contains(jones, 'a,b'), true);
    assert.equal(await staff.contains(jones, 'a'), false);
    assert.equal(httpClient.count, 2, 'a point read each');
    httpClient.count = 0;
    await staff.add(jones, ['000152']);
    assert.equal(httpClient.count, 1, 'what is there already is not written');
    await staff.change(
      jones,
      new Map([
        ['', false],
        ['000153', true],
      ]),
    );
    assert.equal(httpClient.count, 3, 'a read and a write');
    assert.deepEqual(await staff.ids({ ...jones, lastName: 'Smith' }), []);
    await staff.remove(jones, await staff.ids(jones));
    assert.deepEqual(await opened.repo(ByLastName.rows, { table }).scan().allowScan('a test').take(9), []);
  });

  test('the rows and requests of a list are shown', async () => {
    const staff = lists(db().db, ByLastName);
    const plan = staff.explain(jones);
    assert.deepEqual(plan.read, ["GET Staff(PartitionKey='Sales',RowKey='last!Jones!0000')"]);
    assert.match(plan.warnings[0] ?? '', /one index row for each value and id/);
  });

  test('writers of one list at the same time lose nothing, and it is told that they meet', async () => {
    const table = await peer.newTable();
    const found: ListContention[] = [];
    const { db: opened } = db();
    const staff = lists(opened, ByLastName, { table, attempts: 50, warn: each => found.push(each) });
    await staff.add(
      jones,
      Array.from({ length: 50 }, (_, at) => `old ${at}`),
    );
    await Promise.all(
      Array.from({ length: 16 }, async (_, writer) => {
        for (let at = 0; at < 3; at++) {
          await staff.add(jones, [`${writer} ${at}`]);
          await staff.remove(jones, [`old ${3 * writer + at}`]);
        }
      }),
    );
    const expected = Array.from({ length: 48 }, (_, at) => `${Math.floor(at / 3)} ${at % 3}`);
    assert.deepEqual(await staff.ids(jones), [...expected, 'old 48', 'old 49'].sort());
    assert.equal(found.length, 1, 'once');
    assert.match(found[0]?.advice ?? '', /one index row/);
    const [hot] = staff.contention();
    assert(hot && hot.conflicts > 0 && hot.attempts > 96 && hot.list === 'Sales, last!Jones!0000');
    const hasty = lists(opened, ByLastName, { table, attempts: 1 });
    const outcomes = await Promise.allSettled(['a', 'b', 'c', 'd'].map(id => hasty.add(jones, [id])));
    const failed = outcomes.filter(each => each.status === 'rejected');
    assert(failed.length > 0);
    for (const { reason } of failed) {
      await rejects(Promise.reject(reason), 'Contention', { attempts: 1 });
      assert.match(String(reason.cause), /one index row/);
    }
  });

  test('a list of more than a row takes is in chunks, of which a change writes one', async () => {
    const table = await peer.newTable();
    const { db: opened, httpClient } = db();
    const staff = lists(opened, ByLastName, { table });
    const ids = Array.from({ length: 500 }, (_, at) => long(at));
    await staff.add(jones, ids);
    assert.deepEqual(await staff.ids(jones), ids);
    httpClient.count = 0;
    await staff.add(jones, [`${long(77)}y`]);
    assert.equal(httpClient.count, 3, 'head, chunk, and the write of the chunk');
    httpClient.count = 0;
    assert.equal(await staff.contains(jones, long(499)), true);
    assert.equal(httpClient.count, 2, 'head and chunk');
    const neighbours = lists(opened, ByLastName, { table });
    await neighbours.add({ ...jones, lastName: 'Jones!' }, ['another']);
    await neighbours.add({ ...jones, lastName: 'Jone' }, ['another']);
    assert.equal((await staff.ids(jones)).length, 501);
    await staff.remove(jones, [...ids.slice(3), `${long(77)}y`]);
    assert.deepEqual(await staff.ids(jones), ids.slice(0, 3));
    const rows = await opened
      .repo(ByLastName.rows, { table })
      .partition({ department: 'Sales' } as never)
      .take(9);
    assert.equal(rows.length, 3, 'each list is one row again');
  });

  test('readers of a list that others split and merge see every id that stays', {
    skip: onlyIn('patterns'),
  }, async () => {
    const table = await peer.newTable();
    const staff = lists(db().db, ByLastName, { table, attempts: 50 });
    const held = Array.from({ length: 330 }, (_, at) => long(3 * at));
    await staff.add(jones, held);
    let isWriting = true;
    const write = async (): Promise<void> => {
      for (let round = 0; round < 2; round++) {
        const more = Array.from({ length: 200 }, (_, at) => long(3 * at + 1 + round));
        await staff.add(jones, more);
        await staff.remove(jones, more);
      }
      isWriting = false;
    };
    const read = async (): Promise<void> => {
      while (isWriting) {
        const found = new Set(await staff.ids(jones));
        assert(held.every(id => found.has(id)));
      }
    };
    await Promise.all([write(), read(), read()]);
    assert.deepEqual(await staff.ids(jones), held);
  });

  test('an id goes to the chunk that has it now, if its chunk was split between two reads', async () => {
    const table = await peer.newTable();
    const other = lists(db().db, ByLastName, { table });
    const held = Array.from({ length: 330 }, (_, at) => long(3 * at));
    await other.add(jones, held);
    const first = held.slice(0, 60).map(id => `${id}y`);
    let isDone = false;
    const httpClient = new FaultyClient(async at => {
      if (at === 1) await other.add(jones, first);
      isDone ||= at === 1;
      return undefined;
    });
    const staff = lists(peer.open({ httpClient }), ByLastName, { table });
    const [low = ''] = held.slice(35);
    await staff.add(jones, [`${low}z`]);
    assert(isDone);
    assert.deepEqual(await staff.ids(jones), [...held, ...first, `${low}z`].sort());
  });

  test('a row that holds no list is named', async () => {
    const table = await peer.newTable();
    const { db: opened } = db();
    const staff = lists(opened, ByLastName, { table });
    const rows = opened.repo(ByLastName.rows, { table });
    for (const bytes of [
      [1, 98, 1, 97],
      [1, 0xff],
    ]) {
      await rows.upsert({
        ...jones,
        listRow: 0,
        listCount: bytes.length / 2,
        listIds00: Uint8Array.from(bytes),
      } as never);
      await rejects(staff.ids(jones), 'RowUnreadable', { rowKey: 'last!Jones!0000' });
    }
  });
});
