// Flows: a row that its copy follows, a chain of two steps, an outbox, and a message that cannot be done.
import assert from 'node:assert/strict';
import { until } from '#base/testing/until';
import type { Db } from '#patterns';
import { type Flow, flow, follow, outboxRow, type Step, sweepOutbox } from '#patterns/flows';
import { AnyKey, annaKey, type Key, type Staff, staffOf } from '../flows/flow-setting.js';
import { anna, Employee } from '../support/employee.js';
import { assertIdle, type Ground, type MatrixCase, matrixCase, rawRows } from './case.js';
import { crashMatrix } from './matrix.js';
import type { Process } from './process.js';

interface World {
  readonly table: string;
  readonly other: string;
  readonly flow: Flow<Key, Key>;
}

/** Makes the copy equal to the row, without any condition: what a stalled worker does harm by. */
const copyInto =
  (other: string) =>
  async (db: Db, row: Awaited<ReturnType<Staff['get']>>): Promise<void> => {
    const copies = staffOf(db, other);
    if (row === undefined) await copies.deleteIfExists({ key: annaKey, etag: '*' });
    else await copies.upsert(row.value);
  };

type StepOf = (table: string, other: string) => readonly Step<Key>[];

const copyStep: StepOf = (table, other) => [
  follow<typeof Employee, Key>({
    name: 'copy',
    entity: Employee,
    table,
    key: input => input,
    make: (row, _, { db }) => copyInto(other)(db, row),
  }),
];

const TIMES = ['etag', 'timestamp', '_op'];
/** A row of Anna in the table, as it stands, without what each write changes. */
async function annaIn({ peer }: Ground, table: string): Promise<unknown> {
  const found = (await rawRows(peer, table)).find(({ rowKey }) => rowKey === 'emp!000001');
  return found && Object.fromEntries(Object.entries(found).filter(([name]) => !TIMES.includes(name)));
}

/** Two tables, and a flow of these steps between them. */
const setUpOf =
  (stepsOf: StepOf, queues = 2) =>
  async ({ peer, db, newName }: Ground): Promise<World> => {
    const [table, other] = [await peer.newTable(), await peer.newTable()];
    const world = { table, other, flow: flow(newName('copy'), AnyKey, stepsOf(table, other), { queues }) };
    await world.flow.createQueues(db);
    return world;
  };

const work: NonNullable<MatrixCase<World>['work']> = ({ flow: copies }, process: Process) =>
  copies.worker(process.db, process.worker);

async function assertEqual({ table, other, flow: copies }: World, ground: Ground): Promise<void> {
  assert.deepEqual(
    await annaIn(ground, other),
    await annaIn(ground, table),
    'The copy is not what the row says.',
  );
  await assertIdle(copies, ground.db);
}

const writesOf = ({ flow: copies, table }: World, db: Db) => ({
  write: (change: (rows: Staff) => Promise<unknown>, deletes = false) =>
    copies.write(db, annaKey, own => change(staffOf(own, table)), { deletes }),
});

const rival: NonNullable<MatrixCase<World>['rival']> = async (world, db) => {
  const { write } = writesOf(world, db);
  await write(rows => rows.mutate(annaKey, row => ({ ...(row ?? anna), score: (row?.score ?? 0) + 1 })));
};

/** A row; a copy follows each of its writes. */
const copied = matrixCase<World>({
  name: 'a copy that follows its row',
  setUp: setUpOf(copyStep),
  operation: async (world, db) => {
    const { write } = writesOf(world, db);
    await write(rows => rows.create({ ...anna, note: 'first' }));
    await write(rows => rows.mutate(annaKey, row => row && { ...row, note: 'second' }));
  },
  rival,
  work,
  finally: assertEqual,
});

/** A row that is deleted, and its copy. */
const deleted: MatrixCase = matrixCase<World>({
  name: 'a copy of a row that is deleted',
  setUp: async ground => {
    const world = await setUpOf(copyStep)(ground);
    for (const table of [world.table, world.other]) await staffOf(ground.db, table).create(anna);
    return world;
  },
  operation: async (world, db) => {
    const row = await staffOf(db, world.table).get(annaKey);
    if (row) await writesOf(world, db).write(rows => rows.delete(row), true);
  },
  rival,
  work,
  finally: assertEqual,
});

/** A flow by itself, of two steps that each count what they did for this run. */
const started: MatrixCase = matrixCase<World & { id: string | undefined }>({
  name: 'a flow of two steps',
  setUp: async ground => {
    const stepIn = (name: string, into: string): Step<Key> => ({
      name,
      run: async (input, { db, id }): Promise<void> => {
        await staffOf(db, into).upsert({ ...anna, ...input, name: id });
      },
    });
    const stepsOf: StepOf = (table, other) => [stepIn('first', table), stepIn('second', other)];
    return { ...(await setUpOf(stepsOf, 1)(ground)), id: undefined };
  },
  operation: async (world, db) => {
    world.id = await world.flow.start(db, annaKey);
  },
  work,
  finally: async (world, ground) => {
    const { id, table, other } = world;
    const [first, second] = [await annaIn(ground, table), await annaIn(ground, other)];
    assert.deepEqual(first, second, 'One step was done without the other.');
    if (id !== undefined)
      assert.equal((first as { name?: unknown } | undefined)?.name, id, 'The run is lost.');
    await assertIdle(world.flow, ground.db);
  },
});

/** A row and a row of an outbox in one transaction, by a program without the library. */
const outbox: MatrixCase = matrixCase<World>({
  name: 'an outbox',
  setUp: setUpOf(copyStep),
  operation: async ({ table, flow: copies }, _, process) => {
    const row = {
      partitionKey: anna.department,
      rowKey: 'emp!000001',
      EntityType: 'Employee.1',
      name: anna.name,
      score: { value: String(anna.score), type: 'Double' as const },
      views: { value: String(anna.views), type: 'Int64' as const },
    };
    const announced = outboxRow(copies, { partitionKey: row.partitionKey, id: 'first' }, annaKey);
    // The official client retries on its own, and then meets its own rows.
    await process
      .table(table)
      .submitTransaction([
        ['create', row],
        ['create', { ...announced }],
      ])
      .catch((thrown: { readonly statusCode?: unknown }) => {
        if (thrown.statusCode !== 409) throw thrown;
      });
  },
  work: (world, process) => {
    const controller = new AbortController();
    const { flow: copies, table } = world;
    const sweeping = (async () => {
      while (!controller.signal.aborted && !process.isDead) {
        try {
          for await (const each of sweepOutbox(process.db, [copies], { table })) void each;
        } catch {
          // A worker looks again.
        }
        await process.sleep(10_000, controller.signal).catch(() => undefined);
      }
    })();
    const worker = copies.worker(process.db, process.worker);
    const stop = async (): Promise<void> => {
      controller.abort();
      await sweeping;
      await worker.stop();
    };
    return { stop };
  },
  isDone: async ({ table }, { peer }) =>
    (await rawRows(peer, table)).every(({ rowKey }) => !rowKey?.startsWith('outbox!')),
  finally: assertEqual,
});

interface BrokenWorld extends World {
  isMended: boolean;
  isStarted: boolean;
}

const setUpBroken = async (ground: Ground): Promise<BrokenWorld> => {
  const state = { isMended: false, isStarted: false };
  const stepsOf: StepOf = table => [
    {
      name: 'fail',
      run: async (_, { db }) => {
        if (!world.isMended) throw new Error('broken');
        await staffOf(db, table).upsert(anna);
      },
    },
  ];
  const world = { ...(await setUpOf(stepsOf, 1)(ground)), ...state };
  return world;
};

/** A message whose step always fails: it is put aside, and neither lost nor listed twice. */
const poisoned: MatrixCase = matrixCase<BrokenWorld>({
  name: 'a message that is put aside',
  setUp: setUpBroken,
  operation: async (world, db) => {
    await world.flow.start(db, annaKey);
    world.isStarted = true;
  },
  work: ({ flow: broken }, process) => broken.worker(process.db, { ...process.worker, maxDequeue: 2 }),
  finally: async ({ flow: broken, isStarted }, { db }) => {
    const listed: unknown[] = [];
    for await (const each of broken.poison(db)) {
      assert.deepEqual(each.input, annaKey);
      listed.push(each.id);
      await each.drop();
    }
    // One for each message: a client whose answer was lost sends two, and tests send each twice.
    assert(listed.length <= 8 && listed.length >= (isStarted ? 1 : 0), `${listed.length} were put aside.`);
    assert(new Set(listed).size <= 1, 'One run has two ids.');
    await assertIdle(broken, db);
  },
});

/** What was put aside is sent again: it is in one of the queues, or was done. */
const redriven: MatrixCase = matrixCase<BrokenWorld>({
  name: 'a message that is sent again',
  setUp: async ground => {
    const world = await setUpBroken(ground);
    await world.flow.start(ground.db, annaKey);
    const worker = world.flow.worker(ground.db, { maxDequeue: 1, rest: { base: 5, cap: 5 } });
    await until(
      'a message that is put aside',
      async () => (await world.flow.figures(ground.db)).poisoned > 0,
    );
    await worker.stop();
    world.isMended = true;
    return world;
  },
  operation: async ({ flow: broken }, db) => {
    for await (const each of broken.poison(db)) await each.redrive();
  },
  work,
  finally: async ({ flow: broken, table }, ground) => {
    const { pending, poisoned: aside } = await broken.figures(ground.db);
    assert.equal(pending, 0);
    assert(aside > 0 || (await annaIn(ground, table)) !== undefined, 'The message is lost.');
  },
});

crashMatrix('flows', [copied, deleted, started, outbox, poisoned, redriven]);
