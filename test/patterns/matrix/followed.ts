// What cases about an employee share: her row's repository, and copies that follow the row.
import type { Db, Repo } from '#patterns';
import { follow, type Step } from '#patterns/flows';
import { annaKey, type Key } from '../flows/flow-setting.js';
import { Employee } from '../support/employee.js';

export type Staff = Repo<typeof Employee>;
export const staffOf = (db: Db, table: string): Staff => db.repo(Employee, { table });

/** Makes the copy equal to the row, without any condition: what a stalled worker does harm by. */
const copyInto =
  (other: string) =>
  async (db: Db, row: Awaited<ReturnType<Staff['get']>>): Promise<void> => {
    const copies = staffOf(db, other);
    if (row === undefined) await copies.deleteIfExists({ key: annaKey, etag: '*' });
    else await copies.upsert(row.value);
  };

export type StepOf = (table: string, other: string) => readonly Step<Key>[];

export const copyStep: StepOf = (table, other) => [
  follow<typeof Employee, Key>({
    name: 'copy',
    entity: Employee,
    table,
    key: input => input,
    make: (row, _, { db }) => copyInto(other)(db, row),
  }),
];
