// Deleting the results of a query: all of them, by a few requests; rows that others change during the deletion; and resuming after the process is gone.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredOf } from '#patterns';
import { change, type DeleteProgress, deleteRows, writeAll } from '#patterns/bulk';
import type { DeleteRowsOptions } from '#patterns/internals';
import { column } from '../../support/column.js';
import { anna, Employee } from '../../support/employee.js';
import { FaultyClient } from '../../support/faulty-client.js';
import { describePeers, type Peer } from '../../support/peers.js';
import { rejects } from '../../support/rejects.js';

async function filled(peer: Peer, count: number, departments: number) {
  const table = await peer.newTable();
  const db = peer.open();
  const changes = Array.from({ length: count }, (_, id) =>
    change.create(Employee, { ...anna, department: `d${id % departments}`, id }, { table }),
  );
  for await (const { kind } of writeAll(db, changes)) assert.equal(kind, 'done');
  return { table, db, staff: db.repo(Employee, { table }) };
}

type Row = StoredOf<typeof Employee>;

const all = { conditional: false } as const;

describePeers('deleting rows', peer => {
  test('a range goes, and nothing else', async () => {
    const { db, staff } = await filled(peer, 250, 2);
    const range = staff.partition({ department: 'd1' }).rows({}).select();
    const seen: DeleteProgress[] = [];
    for await (const progress of deleteRows(db, range, { ...all, size: 50 })) seen.push(progress);
    assert.deepEqual(
      seen.map(({ deleted }) => deleted),
      [50, 100, 125],
    );
    assert.equal(seen.at(-1)?.next, undefined);
    assert.deepEqual(await range.take(1), []);
    assert.equal((await staff.partition({ department: 'd0' }).take(1_000)).length, 125);
  });

  test('many partitions go by a few requests each', async () => {
    const { table } = await filled(peer, 300, 3);
    const httpClient = new FaultyClient();
    const db = peer.open({ httpClient });
    const scan = db.repo(Employee, { table }).scan().select().allowScan('all of it goes');
    for await (const { deleted } of deleteRows(db, scan, all)) assert.equal(deleted, 300);
    assert.equal(httpClient.count, 4);
  });

  test('conditional: what others changed meanwhile stays, and what is gone is counted', async () => {
    const { db, staff } = await filled(peer, 20, 1);
    const rows = staff.partition({ department: 'd0' });
    const [first, second] = (await rows.take(2)) as [Row, Row];
    const options: DeleteRowsOptions = { conditional: true };
    const seen: DeleteProgress[] = [];
    async function* meanwhile() {
      for await (const page of rows.pages()) {
        await staff.merge(first, { note: 'changed' });
        await staff.delete(second);
        yield page;
      }
    }
    for await (const progress of deleteRows(db, { pages: meanwhile }, options)) seen.push(progress);
    assert.deepEqual(seen, [{ deleted: 18, gone: 1, changed: 1, next: undefined }]);
    assert.deepEqual(column(await rows.take(20), 'note'), ['changed']);
  });

  test('another process goes on where one ended, after any page', async () => {
    for (let pages = 0; pages < 4; pages++) {
      const { table, db, staff } = await filled(peer, 40, 1);
      const query = () => staff.partition({ department: 'd0' }).select();
      let resume: string | undefined;
      let left = pages;
      if (pages > 0)
        for await (const { next } of deleteRows(db, query(), { ...all, size: 10 })) {
          resume = next;
          if (--left === 0) break;
        }
      const other = peer.open();
      const rest = other.repo(Employee, { table }).partition({ department: 'd0' }).select();
      let deleted = 0;
      for await (const progress of deleteRows(other, rest, { ...all, size: 10, resume }))
        deleted = progress.deleted;
      assert.equal(deleted, 40 - 10 * pages);
      assert.deepEqual(await query().take(1), []);
    }
  });

  test('the token of another query is refused', async () => {
    const { db, staff } = await filled(peer, 20, 2);
    const query = (department: string) => staff.partition({ department }).select();
    for await (const { next } of deleteRows(db, query('d0'), { ...all, size: 5 })) {
      const other = deleteRows(db, query('d1'), { ...all, resume: next });
      await rejects(other.next(), 'TokenMismatch');
      break;
    }
  });
});
