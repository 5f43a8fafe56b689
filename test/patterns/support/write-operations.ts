// The operations that lose requests and answers in tests, and how it shows whether each was done.
import { type Db, open, PatternError, type Repo, type ServiceOptions, type StoredOf } from '#patterns';
import { change, deleteRows, type RowChange, writeAll } from '#patterns/bulk';
import { anna, Employee } from './employee.js';
import { type FaultPlan, FaultyClient } from './faulty-client.js';
import type { Peer } from './peers.js';

export type Staff = Repo<typeof Employee>;
export type Row = StoredOf<typeof Employee>;

/** The first failure that is reported is thrown. */
async function written(db: Db, changes: readonly RowChange[]): Promise<void> {
  for await (const report of writeAll(db, changes)) if (report.kind === 'failed') throw report.error;
}

/** An operation on a row that is there (or is not yet), and whether the row shows that it was done. */
export interface Operation {
  readonly name: string;
  readonly startsWithRow: boolean;
  run(staff: Staff, db: Db, stored: Row): Promise<unknown>;
  isDone(row: Row | undefined): boolean;
}

export const OPERATIONS: readonly Operation[] = [
  {
    name: 'create',
    startsWithRow: false,
    run: staff => staff.create(anna),
    isDone: row => row !== undefined,
  },
  {
    name: 'replace',
    startsWithRow: true,
    run: (staff, _, stored) => staff.replace(stored, { ...anna, note: 'done' }),
    isDone: row => row?.value.note === 'done',
  },
  {
    name: 'merge',
    startsWithRow: true,
    run: (staff, _, stored) => staff.merge(stored, { note: 'done' }),
    isDone: row => row?.value.note === 'done',
  },
  {
    name: 'delete',
    startsWithRow: true,
    run: (staff, _, stored) => staff.delete(stored),
    isDone: row => row === undefined,
  },
  {
    name: 'delete exactly once',
    startsWithRow: true,
    run: (staff, _, stored) => staff.delete(stored, { exactlyOnce: true }),
    isDone: row => row === undefined,
  },
  {
    name: 'upsert',
    startsWithRow: true,
    run: staff => staff.upsert({ ...anna, note: 'done' }),
    isDone: row => row?.value.note === 'done',
  },
  {
    name: 'upsertMerge',
    startsWithRow: true,
    run: staff => staff.upsertMerge({ ...anna, note: 'done' }),
    isDone: row => row?.value.note === 'done',
  },
  {
    name: 'merge by key and etag',
    startsWithRow: true,
    run: (staff, _, { etag }) => staff.merge({ key: anna, etag }, { note: 'done' }),
    isDone: row => row?.value.note === 'done',
  },
  {
    name: 'deleteIfExists',
    startsWithRow: true,
    run: (staff, _, stored) => staff.deleteIfExists(stored),
    isDone: row => row === undefined,
  },
  {
    name: 'mutate',
    startsWithRow: true,
    run: staff => staff.mutate(anna, row => ({ ...anna, note: row?.note === undefined ? 'done' : 'twice' })),
    isDone: row => row?.value.note === 'done',
  },
  {
    name: 'batch',
    startsWithRow: true,
    run: (staff, db, stored) =>
      db
        .batch(Employee, anna, { table: staff.table })
        .create(Employee, { ...anna, id: 2 })
        .merge(Employee, stored, { note: 'done' })
        .commit(),
    isDone: row => row?.value.note === 'done',
  },
  {
    name: 'writing all',
    startsWithRow: true,
    run: (staff, db, stored) =>
      written(db, [
        change.create(Employee, { ...anna, department: 'Other' }, { table: staff.table }),
        change.merge(Employee, stored, { note: 'done' }),
        change.create(Employee, { ...anna, id: 2 }, { table: staff.table }),
      ]),
    isDone: row => row?.value.note === 'done',
  },
  {
    name: 'deleting rows',
    startsWithRow: true,
    run: async (staff, db) => {
      for await (const _ of deleteRows(db, staff.partition(anna).select(), { conditional: true }));
    },
    isDone: row => row === undefined,
  },
];

/** Pauses of the library; the client below has its own. */
const noWait = async (): Promise<void> => undefined;

export async function prepare(peer: Peer, { startsWithRow }: Operation) {
  const table = await peer.newTable();
  const clean = open({ tables: peer.client() }).repo(Employee, { table });
  const stored = startsWithRow ? await clean.create(anna) : undefined;
  return { table, clean, stored: stored as Row };
}

export function withFaults(peer: Peer, plan: FaultPlan, options: ServiceOptions = {}) {
  const httpClient = new FaultyClient(plan);
  return { httpClient, db: open({ tables: peer.client() }, { httpClient, sleep: noWait, ...options }) };
}

/** `done`, or the code of the error. */
export async function outcomeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return 'done';
  } catch (thrown) {
    if (PatternError.is(thrown)) return thrown.code;
    throw thrown;
  }
}
