// Flows: a row that its copy follows, a chain of two steps, an outbox, and a message that cannot be done.
import assert from 'node:assert/strict';
import { until } from '#base/testing/until';
import type { Db } from '#patterns';
import { type Flow, flow, follow, outboxRow, type Step, sweepOutbox } from '#patterns/flows';
import { AnyKey, annaKey, type Key, type Staff, staffOf } from '../flows/flow-setting.js';
import { collect } from '../support/collect.js';
import { anna, Employee } from '../support/employee.js';
import { type Acts, assertIdle, type Ground, type MatrixCase, rawRows } from './case.js';
import { crashMatrix } from './matrix.js';
import type { Process } from './process.js';

type StepOf = (table: string, other: string) => readonly Step<Key>[];

/** Makes the copy equal to the row, without any condition: what a stalled worker does harm by. */
const copyStep: StepOf = (table, other) => [
  follow<typeof Employee, Key>({
    name: 'copy',
    entity: Employee,
    table,
    key: input => input,
    make: async (row, _, { db }) => {
      const copies = staffOf(db, other);
      if (row === undefined) await copies.deleteIfExists({ key: annaKey, etag: '*' });
      else await copies.upsert(row.value);
    },
  }),
];

const TIMES = ['etag', 'timestamp', '_op'];

/** Two tables, and a flow of these steps between them. */
async function world({ peer, db, newName }: Ground, stepsOf: StepOf, queues = 2) {
  const [table, other] = [await peer.newTable(), await peer.newTable()];
  const copies: Flow<Key, Key> = flow(newName('copy'), AnyKey, stepsOf(table, other), { queues });
  await copies.createQueues(db);
  /** A row of Anna in a table, as it stands, without what each write changes. */
  const annaIn = async (of: string): Promise<Record<string, unknown> | undefined> => {
    const found = (await rawRows(peer, of)).find(({ rowKey }) => rowKey === 'emp!000001');
    return found && Object.fromEntries(Object.entries(found).filter(([name]) => !TIMES.includes(name)));
  };
  const work = (process: Process) => copies.worker(process.db, process.worker);
  const assertEqual = async (): Promise<void> => {
    assert.deepEqual(await annaIn(other), await annaIn(table), 'The copy is not what the row says.');
    await assertIdle(copies, db);
  };
  return { table, other, copies, annaIn, work, assertEqual };
}

type Write = (change: (rows: Staff) => Promise<unknown>, deletes?: boolean) => Promise<unknown>;

/** A row; a copy follows each of its writes. `begin` does what is there before. */
const copied = (
  name: string,
  operation: (write: Write, rows: Staff) => Promise<unknown>,
  begin: (rows: Staff) => Promise<unknown> = async () => undefined,
): MatrixCase => ({
  name,
  setUp: async ground => {
    const { table, other, copies, work, assertEqual } = await world(ground, copyStep);
    for (const each of [table, other]) await begin(staffOf(ground.db, each));
    const writing =
      (db: Db): Write =>
      (change, deletes = false) =>
        copies.write(db, annaKey, own => change(staffOf(own, table)), { deletes });
    return {
      operation: db => operation(writing(db), staffOf(db, table)),
      rival: db =>
        writing(db)(own => own.mutate(annaKey, row => ({ ...(row ?? anna), score: (row?.score ?? 0) + 1 }))),
      work,
      finally: assertEqual,
    };
  },
});

/** A flow by itself, of two steps that each count what they did for this run. */
const started: MatrixCase = {
  name: 'a flow of two steps',
  setUp: async ground => {
    const stepIn = (name: string, into: string): Step<Key> => ({
      name,
      run: async (input, { db, id }): Promise<void> => {
        await staffOf(db, into).upsert({ ...anna, ...input, name: id });
      },
    });
    const stepsOf: StepOf = (table, other) => [stepIn('first', table), stepIn('second', other)];
    const { table, other, copies, annaIn, work } = await world(ground, stepsOf, 1);
    let id: string | undefined;
    return {
      operation: async db => {
        id = await copies.start(db, annaKey);
      },
      work,
      finally: async () => {
        const [first, second] = [await annaIn(table), await annaIn(other)];
        assert.deepEqual(first, second, 'One step was done without the other.');
        if (id !== undefined) assert.equal(first?.name, id, 'The run is lost.');
        await assertIdle(copies, ground.db);
      },
    };
  },
};

/** A row and a row of an outbox in one transaction, by a program without the library. */
async function writeOutbox(process: Process, table: string, copies: Flow<Key, Key>): Promise<void> {
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
}

/** Sweeps again and again, and works. */
function sweeping(process: Process, table: string, copies: Flow<Key, Key>) {
  const controller = new AbortController();
  const swept = (async () => {
    while (!controller.signal.aborted && !process.isDead) {
      // A worker looks again.
      await collect(sweepOutbox(process.db, [copies], { table })).catch(() => undefined);
      await process.sleep(10_000, controller.signal).catch(() => undefined);
    }
  })();
  const worker = copies.worker(process.db, process.worker);
  const stop = async (): Promise<void> => {
    controller.abort();
    await swept;
    await worker.stop();
  };
  return { stop };
}

const outbox: MatrixCase = {
  name: 'an outbox',
  setUp: async ground => {
    const { table, copies, assertEqual } = await world(ground, copyStep);
    return {
      operation: (_, process) => writeOutbox(process, table, copies),
      work: process => sweeping(process, table, copies),
      isDone: async () =>
        (await rawRows(ground.peer, table)).every(({ rowKey }) => !rowKey?.startsWith('outbox!')),
      finally: assertEqual,
    };
  },
};

/** A flow whose step fails until it is fixed. */
async function broken(ground: Ground) {
  const state = { isMended: false };
  const stepsOf: StepOf = table => [
    {
      name: 'fail',
      run: async (_, { db }) => {
        if (!state.isMended) throw new Error('broken');
        await staffOf(db, table).upsert(anna);
      },
    },
  ];
  return { state, ...(await world(ground, stepsOf, 1)) };
}

/** A message whose step always fails: it is put aside, and neither lost nor listed twice. */
const poisoned: MatrixCase = {
  name: 'a message that is put aside',
  setUp: async (ground): Promise<Acts> => {
    const { copies } = await broken(ground);
    let isStarted = false;
    return {
      operation: async db => {
        await copies.start(db, annaKey);
        isStarted = true;
      },
      work: ({ db, worker }) => copies.worker(db, { ...worker, maxDequeue: 2 }),
      finally: async () => {
        const listed: unknown[] = [];
        for await (const each of copies.poison(ground.db)) {
          assert.deepEqual(each.input, annaKey);
          listed.push(each.id);
          await each.drop();
        }
        // One for each message: a client whose answer was lost sends two, and tests send each twice.
        const isExpected = listed.length <= 8 && listed.length >= (isStarted ? 1 : 0);
        assert(isExpected, `${listed.length} were put aside.`);
        assert(new Set(listed).size <= 1, 'One run has two ids.');
        await assertIdle(copies, ground.db);
      },
    };
  },
};

/** What was put aside is sent again: it is in one of the queues, or was done. */
const redriven: MatrixCase = {
  name: 'a message that is sent again',
  setUp: async ground => {
    const { db } = ground;
    const { state, table, copies, annaIn, work } = await broken(ground);
    await copies.start(db, annaKey);
    const worker = copies.worker(db, { maxDequeue: 1, rest: { base: 5, cap: 5 } });
    await until('a message that is put aside', async () => (await copies.figures(db)).poisoned > 0);
    await worker.stop();
    state.isMended = true;
    return {
      operation: async own => {
        for await (const each of copies.poison(own)) await each.redrive();
      },
      work,
      finally: async () => {
        const { pending, poisoned: aside } = await copies.figures(db);
        assert.equal(pending, 0);
        assert(aside > 0 || (await annaIn(table)) !== undefined, 'The message is lost.');
      },
    };
  },
};

crashMatrix('flows', [
  copied('a copy that follows its row', async write => {
    await write(rows => rows.create({ ...anna, note: 'first' }));
    await write(rows => rows.mutate(annaKey, row => row && { ...row, note: 'second' }));
  }),
  copied(
    'a copy of a row that is deleted',
    async (write, rows) => {
      const row = await rows.get(annaKey);
      if (row) await write(own => own.delete(row), true);
    },
    rows => rows.create(anna),
  ),
  started,
  outbox,
  poisoned,
  redriven,
]);
