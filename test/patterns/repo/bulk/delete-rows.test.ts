// Deleting the results of a query: all of them, by a few requests; rows that others change during the deletion; and resuming after the process is gone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { change, deleteRows } from '#patterns/bulk';
import { collect, writeEach } from '../../support/collect.js';
import { column } from '../../support/column.js';
import { anna, Employee } from '../../support/employee.js';
import { describePeers, fresh } from '../../support/peers.js';
import { rejects } from '../../support/rejects.js';

const all = { conditional: false } as const;

describePeers('deleting rows', peer => {
  const filled = async (count: number, departments: number) => {
    const { db, table, repo: staff, httpClient } = await fresh(peer, Employee);
    const changes = Array.from({ length: count }, (_, id) =>
      change.create(Employee, { ...anna, department: `d${id % departments}`, id }, { table }),
    );
    await writeEach(db, changes);
    httpClient.count = 0;
    const rows = (department: string) => staff.partition({ department }).select();
    return { db, staff, httpClient, rows };
  };

  test('a range goes, and nothing else', async () => {
    const { db, staff } = await filled(250, 2);
    const range = staff.partition({ department: 'd1' }).rows({}).select();
    const seen = await collect(deleteRows(db, range, { ...all, size: 50 }));
    assert.deepEqual(
      seen.map(({ deleted }) => deleted),
      [50, 100, 125],
    );
    assert.equal(seen.at(-1)?.next, undefined);
    assert.deepEqual(await range.take(1), []);
    assert.equal((await staff.partition({ department: 'd0' }).take(1_000)).length, 125);
  });

  test('many partitions go by a few requests each', async () => {
    const { db, staff, httpClient } = await filled(300, 3);
    const scan = staff.scan().select().allowScan('all of it goes');
    const [page, ...others] = await collect(deleteRows(db, scan, all));
    assert.deepEqual([page?.deleted, others, httpClient.count], [300, [], 4]);
  });

  test('conditional: what others changed meanwhile stays, and what is gone is counted', async () => {
    const { db, staff } = await filled(20, 1);
    const rows = staff.partition({ department: 'd0' });
    const [first, second] = await rows.take(2);
    assert(first && second);
    async function* meanwhile() {
      for await (const page of rows.pages()) {
        await staff.merge(first as NonNullable<typeof first>, { note: 'changed' });
        await staff.delete(second as NonNullable<typeof second>);
        yield page;
      }
    }
    const seen = await collect(deleteRows(db, { pages: meanwhile }, { conditional: true }));
    assert.deepEqual(seen, [{ deleted: 18, gone: 1, changed: 1, next: undefined }]);
    assert.deepEqual(column(await rows.take(20), 'note'), ['changed']);
  });

  test('another process goes on where one ended, after any page, by the token of this query', async () => {
    for (let pages = 0; pages < 4; pages++) {
      const { db, rows } = await filled(40, 1);
      let resume: string | undefined;
      for (let left = pages; left > 0; left--) {
        const { value } = await deleteRows(db, rows('d0'), { ...all, size: 10, resume }).next();
        resume = value?.next;
      }
      if (resume) await rejects(deleteRows(db, rows('d1'), { ...all, resume }).next(), 'TokenMismatch');
      const rest = await collect(deleteRows(peer.open(), rows('d0'), { ...all, size: 10, resume }));
      assert.equal(rest.at(-1)?.deleted, 40 - 10 * pages);
      assert.deepEqual(await rows('d0').take(1), []);
    }
  });
});
