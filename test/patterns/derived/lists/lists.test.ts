// Lists of ids in rows: whatever writers do at the same time, the list has what they left in it, in one row or in chunks. list-rows.test.ts divides and merges chunks at random, also between the reads of a list.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { key, t } from '#patterns';
import { type ListContention, list, lists } from '#patterns/lists';
import type { FaultPlan } from '../../support/faulty-client.js';
import { describePeers, fresh } from '../../support/peers.js';
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
/** More than a row takes. */
const HELD = Array.from({ length: 330 }, (_, at) => long(3 * at));

describePeers('lists', peer => {
  const world = async (options: Parameters<typeof lists>[2] = {}, plan?: FaultPlan) => {
    const { db, table, httpClient, raw, repo } = await fresh(peer, ByLastName.rows, plan && { plan });
    const staffOf = (own: typeof options) => lists(db, ByLastName, { table, ...own });
    const rows = async (): Promise<number> => (await repo.scan().allowScan('a test').take(99)).length;
    /** Does it by so many requests. */
    const by = async (requests: number, act: () => Promise<unknown>): Promise<void> =>
      assert.equal(await httpClient.counted(act), requests);
    return { staff: staffOf(options), staffOf, db, table, raw, repo, rows, by };
  };

  test('ids are added and removed, whatever they hold', async () => {
    const { staff, rows, by } = await world();
    assert.deepEqual(await staff.ids(jones), []);
    await staff.add(jones, ['000152', 'a,b', 'a\u0000b', '', 'é', '000152']);
    assert.deepEqual(await staff.ids(jones), ['', '000152', 'a\u0000b', 'a,b', 'é']);
    await by(1, async () => assert.equal(await staff.contains(jones, 'a,b'), true));
    await by(1, async () => assert.equal(await staff.contains(jones, 'a'), false));
    // What is there already is not written.
    await by(1, () => staff.add(jones, ['000152']));
    const changes = new Map([
      ['', false],
      ['000153', true],
    ]);
    await by(2, () => staff.change(jones, changes));
    assert.deepEqual(await staff.ids({ ...jones, lastName: 'Smith' }), []);
    await staff.remove(jones, await staff.ids(jones));
    assert.equal(await rows(), 0);
  });

  test('the rows and requests of a list are shown', async () => {
    const plan = lists(peer.open(), ByLastName).explain(jones);
    assert.deepEqual(plan.read, ["GET Staff(PartitionKey='Sales',RowKey='last!Jones!0000')"]);
    assert.match(plan.warnings[0] ?? '', /one index row for each value and id/);
  });

  test('writers of one list at the same time lose nothing, and it is told that they meet', async () => {
    const found: ListContention[] = [];
    const { staff, staffOf } = await world({ attempts: 50, warn: each => found.push(each) });
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
    const hasty = staffOf({ attempts: 1 });
    const outcomes = await Promise.allSettled(['a', 'b', 'c', 'd'].map(id => hasty.add(jones, [id])));
    const failed = outcomes.filter(each => each.status === 'rejected');
    assert(failed.length > 0);
    for (const { reason } of failed) {
      await rejects(Promise.reject(reason), 'Contention', { attempts: 1 });
      assert.match(String(reason.cause), /one index row/);
    }
  });

  test('a list of more than a row takes is in chunks, of which a change writes one', async () => {
    const { staff, rows, by } = await world();
    const ids = Array.from({ length: 500 }, (_, at) => long(at));
    await staff.add(jones, ids);
    assert.deepEqual(await staff.ids(jones), ids);
    // Head, chunk, and the write of the chunk.
    await by(3, () => staff.add(jones, [`${long(77)}y`]));
    await by(2, async () => assert.equal(await staff.contains(jones, long(499)), true));
    for (const lastName of ['Jones!', 'Jone']) await staff.add({ ...jones, lastName }, ['another']);
    assert.equal((await staff.ids(jones)).length, 501);
    await staff.remove(jones, [...ids.slice(3), `${long(77)}y`]);
    assert.deepEqual(await staff.ids(jones), ids.slice(0, 3));
    assert.equal(await rows(), 3, 'each list is one row again');
  });

  test('an id goes to the chunk that has it now, if its chunk was split between two reads', async () => {
    const first = HELD.slice(0, 60).map(id => `${id}y`);
    let isDone = false;
    const { staff, table } = await world({}, async index => {
      if (index === 1) await other.add(jones, first);
      isDone ||= index === 1;
      return undefined;
    });
    const other = lists(peer.open(), ByLastName, { table });
    await other.add(jones, HELD);
    const low = `${HELD[35]}z`;
    await staff.add(jones, [low]);
    assert(isDone);
    assert.deepEqual(await staff.ids(jones), [...HELD, ...first, low].sort());
  });

  test('a row that holds no list is named', async () => {
    const { staff, repo } = await world();
    for (const bytes of [
      [1, 98, 1, 97],
      [1, 0xff],
    ]) {
      const listIds00 = Uint8Array.from(bytes);
      await repo.upsert({ ...jones, listRow: 0, listCount: bytes.length / 2, listIds00 } as never);
      await rejects(staff.ids(jones), 'RowUnreadable', { rowKey: 'last!Jones!0000' });
    }
  });
});
