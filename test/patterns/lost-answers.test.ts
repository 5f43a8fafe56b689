// Writes whose requests or answers get lost, at every place and in every way that they can: each ends in one outcome, and it is the true one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Db, type Of, open, PatternError, type Repo, type ServiceOptions, type Stored } from '#patterns';
import { anna, Employee } from './employee.js';
import { FAULTS, type Fault, type FaultPlan, FaultyClient, faultAt } from './faulty-client.js';
import { describePeers, type Peer } from './peers.js';
import { rejects } from './rejects.js';

type Staff = Repo<typeof Employee>;
type Row = Stored<Of<typeof Employee>>;

/** An operation on a row that is there (or is not yet), and whether the row shows that it was done. */
interface Operation {
  readonly name: string;
  readonly startsWithRow: boolean;
  run(staff: Staff, db: Db, stored: Row): Promise<unknown>;
  isDone(row: Row | undefined): boolean;
}

const OPERATIONS: readonly Operation[] = [
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
    name: 'put',
    startsWithRow: true,
    run: staff => staff.overwrite.put({ ...anna, note: 'done' }),
    isDone: row => row?.value.note === 'done',
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
];

const noWait = async (): Promise<void> => undefined;

async function prepare(peer: Peer, { startsWithRow }: Operation) {
  const table = await peer.newTable();
  const clean = open(peer.client()).repo(Employee, { table });
  const stored = startsWithRow ? await clean.create(anna) : undefined;
  return { table, clean, stored: stored as Row };
}

function withFaults(peer: Peer, plan: FaultPlan, options: ServiceOptions = {}) {
  const httpClient = new FaultyClient(plan);
  return { httpClient, db: open(peer.client(), { httpClient, sleep: noWait, ...options }) };
}

describePeers('lost answers', peer => {
  for (const operation of OPERATIONS) {
    test(`${operation.name} is done, whichever one request fails, and however`, async () => {
      const first = await prepare(peer, operation);
      const counting = withFaults(peer, () => undefined);
      await operation.run(counting.db.repo(Employee, { table: first.table }), counting.db, first.stored);
      const calls = counting.httpClient.count;
      for (let index = 0; index < calls; index++)
        for (const fault of FAULTS) {
          const { table, clean, stored } = await prepare(peer, operation);
          const { db } = withFaults(peer, faultAt(fault, index));
          await operation.run(db.repo(Employee, { table }), db, stored);
          assert(operation.isDone(await clean.get(anna)), `${fault} at ${index}`);
        }
    });

    test(`${operation.name} tells the truth when answers fail as often as it is tried`, async () => {
      for (const fault of FAULTS)
        for (const lookFails of [false, true]) {
          const { table, clean, stored } = await prepare(peer, operation);
          const isLook = (method: string): boolean => method === 'GET' && operation.name !== 'mutate';
          const { db } = withFaults(peer, (_, { method }) =>
            isLook(method) && !lookFails ? undefined : fault,
          );
          const outcome = await outcomeOf(operation.run(db.repo(Employee, { table }), db, stored));
          const isDone = operation.isDone(await clean.get(anna));
          const place = `${fault}, ${lookFails ? 'look fails' : 'look is answered'}: ${outcome}`;
          if (outcome === 'done') assert(isDone, place);
          else if (outcome !== 'Unclear') assert(!isDone, place);
          // Over a put others may have put since, so that a row without its mark tells nothing.
          if (!lookFails && operation.name !== 'put') assert.notEqual(outcome, 'Unclear', place);
        }
    });
  }

  test('a write that was done is seen also behind the writes of others', async () => {
    const table = await peer.newTable();
    const clean = open(peer.client()).repo(Employee, { table });
    const stored = await clean.create(anna);
    const { staff } = intercepted(peer, table, 'reset after', async () => {
      for (let n = 0; n < 5; n++) {
        const row = await clean.get(anna);
        assert(row);
        await clean.merge(row, { score: n });
      }
    });
    const merged = await staff.merge(stored, { note: 'done' });
    // The row has changed since, so what was given back is no longer good for a write.
    await rejects(clean.replace(merged, anna), 'Conflict');
    assert.deepEqual((await clean.get(anna))?.value, { ...anna, note: 'done', score: 4 });
  });

  test('a write that was not done is told so behind the writes of others', async () => {
    const table = await peer.newTable();
    const clean = open(peer.client()).repo(Employee, { table });
    const stored = await clean.create(anna);
    const { staff } = intercepted(peer, table, 'reset before', async () => {
      await clean.merge(stored, { score: 8 });
    });
    await rejects(staff.merge(stored, { note: 'done' }), 'Conflict');
  });

  test('what nobody can know is Unclear', async () => {
    const table = await peer.newTable();
    const clean = open(peer.client()).repo(Employee, { table });
    const stored = await clean.create(anna);
    const { staff } = intercepted(peer, table, 'reset after', async () => {
      await clean.overwrite.put(anna);
    });
    await rejects(staff.merge(stored, { note: 'done' }), 'Unclear', { op: 'merge' });
    const again = await clean.get(anna);
    assert(again);
    const second = intercepted(peer, table, 'reset after', async () => {
      await clean.create(anna);
    });
    await rejects(second.staff.delete(again), 'Unclear', { op: 'delete' });
  });

  test('without marks a write that was sent twice may be told to have failed', async () => {
    const table = await peer.newTable();
    const { db } = withFaults(peer, faultAt('reset after', 0), { marks: false });
    const staff = db.repo(Employee, { table });
    await rejects(staff.create(anna), 'AlreadyExists');
    assert.deepEqual((await staff.get(anna))?.value, anna);
  });

  test('a look that fails names both failures', async () => {
    const table = await peer.newTable();
    const { db } = withFaults(peer, () => 'reset after');
    await assert.rejects(db.repo(Employee, { table }).create(anna), (thrown: unknown) => {
      assert(PatternError.is(thrown, 'Unclear') && thrown.cause instanceof AggregateError);
      assert.equal(thrown.cause.errors.length, 2);
      return true;
    });
  });
});

async function outcomeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return 'done';
  } catch (thrown) {
    if (PatternError.is(thrown)) return thrown.code;
    throw thrown;
  }
}

/** A repository whose first write fails so, while others do something before the client tries again. */
function intercepted(peer: Peer, table: string, fault: Fault, meanwhile: () => Promise<void>) {
  const plan = faultAt(fault, 0);
  const inner = new FaultyClient(plan);
  const httpClient = {
    sendRequest: async (request: Parameters<FaultyClient['sendRequest']>[0]) => {
      try {
        return await inner.sendRequest(request);
      } catch (thrown) {
        await meanwhile();
        throw thrown;
      }
    },
  };
  return { staff: open(peer.client(), { httpClient }).repo(Employee, { table }) };
}
