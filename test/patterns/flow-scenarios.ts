// The operations of flows that are put through the crash matrix: a row that is followed by its copy, and a row that is moved into an archive.
import assert from 'node:assert/strict';
import type { Db, Repo, StandardSchema } from '#patterns';
import { type Flow, flow, follow, type Move, move, type Step, type WorkerOptions } from '#patterns/flows';
import type { Scenario } from './crash-matrix.js';
import type { Process } from './crashing-client.js';
import { anna, Employee } from './employee.js';
import type { Peer } from './peers.js';

export interface Key {
  readonly department: string;
  readonly id: number;
}

export const annaKey: Key = { department: anna.department, id: anna.id };

const AnyKey: StandardSchema<Key> = {
  '~standard': { version: 1, vendor: 'test', validate: value => ({ value: value as Key }) },
};

let names = 0;
export const newName = (what: string): string => `${what}-${process.pid}-${++names}`;

/** Short times, so that what was left is soon taken over. */
export const SOON: WorkerOptions = {
  visibility: 1,
  maxDequeue: 20,
  grace: 3,
  secondLook: 3,
  rest: { base: 20, cap: 100 },
  backoff: { base: 1, cap: 1_000 },
};

type Staff = Repo<typeof Employee>;

/** Tables of this case, and what runs over them. */
interface World<F> {
  readonly table: string;
  readonly other: string;
  readonly flow: F;
}

const rowsOf = (db: Db, table: string): Staff => db.repo(Employee, { table });

export type CopyWorld = World<Flow<Key, Key>>;

/** Makes the copy equal to the row, without any condition: what a stalled worker does harm by. */
export const copyInto =
  (other: string) =>
  async (db: Db, row: Awaited<ReturnType<Staff['get']>>): Promise<void> => {
    const copies = rowsOf(db, other);
    if (row === undefined) await copies.deleteIfExists({ key: annaKey, etag: '*' });
    else await copies.upsert(row.value);
  };

/** A row, each write of which is followed by a copy of it. `stepOf` is what tests plant faults in. */
export const copied = (
  stepOf = (table: string, other: string): Step<Key> =>
    follow<typeof Employee, Key>({
      name: 'copy',
      entity: Employee,
      table,
      key: input => input,
      make: (row, _, { db }) => copyInto(other)(db, row),
    }),
): Scenario<CopyWorld> => ({
  name: 'a copy that follows its row',
  prepare: async (peer, { db }) => {
    const [table, other] = [await peer.newTable(), await peer.newTable()];
    const world = { table, other, flow: flow(newName('copy'), AnyKey, [stepOf(table, other)]) };
    await world.flow.createQueues(db);
    return world;
  },
  run: async ({ flow: copies, table }, { db }) => {
    const write = (change: (rows: Staff) => Promise<unknown>) =>
      copies.write(db, annaKey, own => change(rowsOf(own, table)), { after: 0 });
    await write(rows => rows.create({ ...anna, note: 'first' }));
    await write(rows => rows.mutate(annaKey, row => row && { ...row, note: 'second' }));
  },
  meanwhile: async ({ flow: copies, table }, { db }) => {
    const change = (own: Db) =>
      rowsOf(own, table).mutate(annaKey, row => row && { ...row, score: row.score + 1 });
    await copies.write(db, annaKey, change, { after: 0 });
  },
  work: ({ flow: copies }, { db }, report) => copies.worker(db, { ...SOON, report }),
  isDrained: async ({ flow: copies }, { db }) => (await copies.figures(db)).pending === 0,
  check: async ({ flow: copies, table, other }, { db }) => {
    const [row, copy] = [await rowsOf(db, table).get(annaKey), await rowsOf(db, other).get(annaKey)];
    assert.deepEqual(copy?.value, row?.value, 'The copy is not what the row says.');
    assert.equal((await copies.figures(db)).poisoned, 0);
  },
});

export interface MoveWorld extends World<Move<typeof Employee, typeof Employee>> {
  /** The last change that was acknowledged. */
  views: bigint;
  isStarted: boolean;
}

const moveBy =
  (table: string, other: string) =>
  (name: string): Move<typeof Employee, typeof Employee> =>
    move(name, { from: Employee, to: Employee, fromTable: table, toTable: other });

/** A row that is moved into an archive while programs change it. */
export const moved = (moveOf = moveBy): Scenario<MoveWorld> => ({
  name: 'a row that is moved',
  prepare: async (peer: Peer, { db }: Process) => {
    const [table, other] = [await peer.newTable(), await peer.newTable()];
    const world = {
      table,
      other,
      flow: moveOf(table, other)(newName('move')),
      views: anna.views as bigint,
      isStarted: false,
    };
    await world.flow.flow.createQueues(db);
    await rowsOf(db, table).create(anna);
    return world;
  },
  run: async (world, { db }) => {
    await world.flow.start(db, annaKey);
    world.isStarted = true;
  },
  meanwhile: async (world, { db }) => {
    for (let n = 0; n < 3; n++) {
      const row = await rowsOf(db, world.table).mutate(
        annaKey,
        each => each && { ...each, views: each.views + 1n },
      );
      if (row !== undefined) world.views = row.value.views;
    }
  },
  work: ({ flow: { flow: moves } }, { db }, report) => moves.worker(db, { ...SOON, report }),
  isDrained: async ({ flow: { flow: moves } }, { db }) => (await moves.figures(db)).pending === 0,
  watch: async (world, { db }) => {
    const { views } = world;
    const found = await world.flow.get(db, annaKey);
    assert(found, 'The row is in neither table.');
    assert(found.row.value.views >= views, `The row has ${found.row.value.views} views, and had ${views}.`);
  },
  check: async (world, { db }) => {
    const [row, copy] = [
      await rowsOf(db, world.table).get(annaKey),
      await rowsOf(db, world.other).get(annaKey),
    ];
    if (world.isStarted) assert.equal(row, undefined, 'The row is still where it was.');
    assert(row === undefined || copy === undefined, 'The row is in both tables.');
    assert.deepEqual((copy ?? row)?.value, { ...anna, views: world.views }, 'The last version is lost.');
    assert.equal((await world.flow.flow.figures(db)).poisoned, 0);
  },
});

export interface PoisonWorld {
  readonly flow: Flow<Key, Key>;
  isStarted: boolean;
}

/** A message whose step always fails: it is put aside, and neither lost nor listed twice. */
export const poisoned = (): Scenario<PoisonWorld> => ({
  name: 'a message that is put aside',
  prepare: async (_, { db }) => {
    const fail = async (): Promise<void> => {
      throw new Error('broken');
    };
    const world = {
      flow: flow(newName('poison'), AnyKey, [{ name: 'fail', run: fail }]),
      isStarted: false,
    };
    await world.flow.createQueues(db);
    return world;
  },
  run: async (world, { db }) => {
    await world.flow.start(db, annaKey);
    world.isStarted = true;
  },
  meanwhile: async () => {},
  work: ({ flow: broken }, { db }, report) => broken.worker(db, { ...SOON, maxDequeue: 2, report }),
  isDrained: async ({ flow: broken }, { db }) => (await broken.figures(db)).pending === 0,
  check: async ({ flow: broken, isStarted }, { db }) => {
    const listed: unknown[] = [];
    for await (const each of broken.poison(db)) {
      assert.deepEqual(each.input, annaKey);
      listed.push(each.id);
      await each.drop();
    }
    // One for each message: a client whose answer was lost sends two, and tests send each twice.
    assert(listed.length <= 4 && listed.length >= (isStarted ? 1 : 0), `${listed.length} were put aside.`);
    assert(new Set(listed).size <= 1);
    assert.equal((await broken.figures(db)).poisoned, 0);
  },
});
