// The operations that lose requests and answers in tests, and how it shows whether each was done.
import { type Db, PatternError, type Repo, type ServiceOptions, type StoredOf } from '#patterns';
import { change, deleteRows, type RowChange, writeAll } from '#patterns/bulk';
import { anna, Employee } from './employee.js';
import { type FaultPlan, FaultyClient } from './faulty-client.js';
import { fresh, type Peer } from './peers.js';

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

const isNoted: Operation['isDone'] = row => row?.value.note === 'done';
const isGone: Operation['isDone'] = row => row === undefined;
const done = { ...anna, note: 'done' };

/** By their names: each begins with a row, unless it makes the first one. */
const RUNS: Readonly<Record<string, readonly [Operation['run'], Operation['isDone']]>> = {
  create: [staff => staff.create(anna), row => row !== undefined],
  replace: [(staff, _, stored) => staff.replace(stored, done), isNoted],
  merge: [(staff, _, stored) => staff.merge(stored, { note: 'done' }), isNoted],
  delete: [(staff, _, stored) => staff.delete(stored), isGone],
  'delete exactly once': [(staff, _, stored) => staff.delete(stored, { exactlyOnce: true }), isGone],
  upsert: [staff => staff.upsert(done), isNoted],
  upsertMerge: [staff => staff.upsertMerge(done), isNoted],
  'merge by key and etag': [
    (staff, _, { etag }) => staff.merge({ key: anna, etag }, { note: 'done' }),
    isNoted,
  ],
  deleteIfExists: [(staff, _, stored) => staff.deleteIfExists(stored), isGone],
  mutate: [
    staff => staff.mutate(anna, row => ({ ...anna, note: row?.note === undefined ? 'done' : 'twice' })),
    isNoted,
  ],
  batch: [
    (staff, db, stored) =>
      db
        .batch(Employee, anna, { table: staff.table })
        .create(Employee, { ...anna, id: 2 })
        .merge(Employee, stored, { note: 'done' })
        .commit(),
    isNoted,
  ],
  'writing all': [
    (staff, db, stored) =>
      written(db, [
        change.create(Employee, { ...anna, department: 'Other' }, { table: staff.table }),
        change.merge(Employee, stored, { note: 'done' }),
        change.create(Employee, { ...anna, id: 2 }, { table: staff.table }),
      ]),
    isNoted,
  ],
  'deleting rows': [
    async (staff, db) => {
      for await (const _ of deleteRows(db, staff.partition(anna).select(), { conditional: true }));
    },
    isGone,
  ],
};

export const OPERATIONS: readonly Operation[] = Object.entries(RUNS).map(([name, [run, isDone]]) => ({
  name,
  startsWithRow: name !== 'create',
  run,
  isDone,
}));

/** Pauses of the library; the client below has its own. */
const noWait = async (): Promise<void> => undefined;

export async function prepare(peer: Peer, { startsWithRow }: Operation) {
  const { table, repo: clean } = await fresh(peer, Employee);
  const stored = startsWithRow ? await clean.create(anna) : undefined;
  return { table, clean, stored: stored as Row };
}

export function withFaults(peer: Peer, plan: FaultPlan, options: ServiceOptions = {}) {
  const httpClient = new FaultyClient(plan);
  return { httpClient, db: peer.open({ httpClient, sleep: noWait, ...options }) };
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
