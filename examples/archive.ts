// Eventually consistent transactions: the guide's employee who leaves, and is moved to the archive while others still
// write. At every moment the employee is in one of the two tables.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { QueueServiceClient } from '@azure/storage-queue';
import { codec, entity, key, open, t } from '#patterns';
import { move } from '#patterns/flows';
import type { Example } from './example.js';

const Employee = entity('Employee', {
  version: 1,
  table: 'Current',
  props: { department: t.string(), id: t.int32(), name: t.string(), vacationDays: t.int32() },
  partition: p => key(p.department),
  row: p => key(p.id.as(codec.int(5))),
});

const archiving = move('archive-employee', { from: Employee, to: Employee, toTable: 'Archive' });

const COUNT = 20;

export const archive: Example = {
  title: 'Archive: employees who are moved to another table while others write',
  async run(client, say, connectionString) {
    for (const table of ['Current', 'Archive']) await client.createTable(table);
    const db = open({ tables: client, queues: QueueServiceClient.fromConnectionString(connectionString) });
    await archiving.flow.createQueues(db);
    const current = db.repo(Employee);
    const keyOf = (id: number) => ({ department: 'Marketing', id });
    for (let id = 0; id < COUNT; id++)
      await current.create({ ...keyOf(id), name: `Employee ${id}`, vacationDays: 0 });

    for (let id = 0; id < COUNT; id += 2) await archiving.start(db, keyOf(id));
    say(`${(await archiving.flow.figures(db)).pending} messages are in the queue`);
    // Two workers, as if in two processes, and a program that keeps counting days.
    const workers = [archiving.flow.worker(db), archiving.flow.worker(db)];
    const days = new Map<number, number>();
    while ((await archiving.flow.figures(db)).pending > 0) {
      for (let id = 0; id < COUNT; id++) {
        const row = await current.mutate(
          keyOf(id),
          each => each && { ...each, vacationDays: each.vacationDays + 1 },
        );
        if (row !== undefined) days.set(id, row.value.vacationDays);
        assert(await archiving.get(db, keyOf(id)), 'The employee is in neither table.');
      }
      await pause(1);
    }
    for (const worker of workers) await worker.stop();

    for (let id = 0; id < COUNT; id++) {
      const found = await archiving.get(db, keyOf(id));
      assert.equal(found?.place, id % 2 === 0 ? 'to' : 'from');
      assert.equal(found.row.value.vacationDays, days.get(id) ?? 0);
    }
    const archived = await db
      .repo(Employee, { table: 'Archive' })
      .partition({ department: 'Marketing' })
      .take(COUNT);
    say(`${archived.length} employees are in the archive, with their last values`);
    const { pending, poisoned } = await archiving.flow.figures(db);
    say(`${pending} messages are left, and ${poisoned} were put aside`);
    assert.equal(archived.length, COUNT / 2);
  },
};
