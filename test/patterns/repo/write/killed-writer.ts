// A program that writes until it is killed, and says on its standard output what it is about to write and what was done. killed.test.ts starts it and compares.
import { TableServiceClient } from '@azure/data-tables';
import { type Db, open } from '#patterns';
import { change, writeAll } from '#patterns/bulk';
import { anna, Employee } from '../../support/employee.js';

const [connectionString = '', table = '', first = '0'] = process.argv.slice(2);

/** Rows of one batch: either all of them have the same value or none does. */
export const TOGETHER = 5;
/** Rows of one bulk write. */
export const MANY = 30;

const say = (what: string, n: number): void => {
  process.stdout.write(`${what} ${n}\n`);
};

async function batch(db: Db, n: number): Promise<void> {
  const writes = db.batch(Employee, { department: 'batch' }, { table });
  for (let id = 0; id < TOGETHER; id++)
    writes.upsert(Employee, { ...anna, department: 'batch', id, name: `${n}` });
  await writes.commit();
}

async function bulk(db: Db, n: number): Promise<void> {
  const changes = Array.from({ length: MANY }, (_, i) =>
    change.create(Employee, { ...anna, department: `bulk${i % 3}`, id: n * MANY + i }, { table }),
  );
  for await (const report of writeAll(db, changes)) {
    if (report.kind === 'failed') throw report.error;
    say('row', n * MANY + report.index);
  }
}

async function write(db: Db, n: number): Promise<void> {
  const rows = db.repo(Employee, { table });
  const department = 'one';
  say('begin', n);
  await rows.create({ ...anna, department, id: n });
  say('created', n);
  await rows.mutate({ department, id: 999_999 }, row => ({
    ...anna,
    department,
    id: 999_999,
    views: (row?.views ?? 0n) + 1n,
  }));
  say('counted', n);
  await rows.upsert({ ...anna, department, id: 999_998, name: `${n}` });
  say('upserted', n);
  await batch(db, n);
  say('together', n);
  await bulk(db, n);
  say('end', n);
}

// Only as a program: the test imports the numbers.
if (connectionString !== '') {
  const tables = TableServiceClient.fromConnectionString(connectionString, { allowInsecureConnection: true });
  const db = open({ tables });
  for (let n = Number(first); ; n++) await write(db, n);
}
