// The operations that lose requests and answers in tests, and how it shows whether each was done.
import type { Db, Repo, StoredOf } from '#patterns';
import { change, deleteRows, writeAll } from '#patterns/bulk';
import { collect } from './collect.js';
import { anna, Employee } from './employee.js';
import type { FaultPlan } from './faulty-client.js';
import { fresh, nextTurn, type Peer } from './peers.js';

type Row = StoredOf<typeof Employee>;

interface Program {
  readonly db: Db;
  readonly staff: Repo<typeof Employee>;
}

type Run = (program: Program, stored: Row) => Promise<unknown>;
type IsDone = (row: Row | undefined) => boolean;

const isNoted: IsDone = row => row?.value.note === 'done';
const isGone: IsDone = row => row === undefined;
const done = { ...anna, note: 'done' };

/** Throws the first failure that is reported. */
const bulk: Run = async ({ db, staff: { table } }, stored) => {
  const changes = [
    change.create(Employee, { ...anna, department: 'Other' }, { table }),
    change.merge(Employee, stored, { note: 'done' }),
    change.create(Employee, { ...anna, id: 2 }, { table }),
  ];
  for await (const report of writeAll(db, changes)) if (report.kind === 'failed') throw report.error;
};

/** By their names: each begins with a row, unless it makes the first one. */
const RUNS: Readonly<Record<string, readonly [Run, IsDone]>> = {
  create: [({ staff }) => staff.create(anna), row => row !== undefined],
  replace: [({ staff }, stored) => staff.replace(stored, done), isNoted],
  merge: [({ staff }, stored) => staff.merge(stored, { note: 'done' }), isNoted],
  delete: [({ staff }, stored) => staff.delete(stored), isGone],
  'delete exactly once': [({ staff }, stored) => staff.delete(stored, { exactlyOnce: true }), isGone],
  upsert: [({ staff }) => staff.upsert(done), isNoted],
  upsertMerge: [({ staff }) => staff.upsertMerge(done), isNoted],
  'merge by key and etag': [
    ({ staff }, { etag }) => staff.merge({ key: anna, etag }, { note: 'done' }),
    isNoted,
  ],
  deleteIfExists: [({ staff }, stored) => staff.deleteIfExists(stored), isGone],
  mutate: [
    ({ staff }) => staff.mutate(anna, row => ({ ...anna, note: row?.note === undefined ? 'done' : 'twice' })),
    isNoted,
  ],
  batch: [
    ({ db, staff: { table } }, stored) =>
      db
        .batch(Employee, anna, { table })
        .create(Employee, { ...anna, id: 2 })
        .merge(Employee, stored, { note: 'done' })
        .commit(),
    isNoted,
  ],
  'writing all': [bulk, isNoted],
  'deleting rows': [
    ({ db, staff }) => collect(deleteRows(db, staff.partition(anna).select(), { conditional: true })),
    isGone,
  ],
};

export const OPERATIONS: readonly string[] = Object.keys(RUNS);

/** An operation in a table of its own, whose program meets these faults. `isDone`: whether the row shows that it was done. */
export async function prepared(peer: Peer, name: string, plan?: FaultPlan) {
  const [run, isDone] = RUNS[name] ?? [];
  if (run === undefined || isDone === undefined) throw new Error(`There is no operation ${name}.`);
  const {
    db,
    repo: staff,
    httpClient,
    table,
  } = await fresh(peer, Employee, { ...(plan && { plan }), sleep: nextTurn });
  const clean = peer.open().repo(Employee, { table });
  const stored = name === 'create' ? undefined : await clean.create(anna);
  return {
    act: () => run({ db, staff }, stored as Row),
    isDone: async () => isDone(await clean.get(anna)),
    httpClient,
  };
}
