// Writes whose requests or answers get lost, at every place and in every way that they can: each ends in one outcome, and it is the true one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RestError } from '@azure/core-rest-pipeline';
import { open, PatternError } from '#patterns';
import { OUTDATED_ETAG } from '#patterns/internals';
import { anna, Employee } from '../../support/employee.js';
import { type Fault, FaultyClient, faultAt, SOME_FAULTS } from '../../support/faulty-client.js';
import { describePeers, fresh, type Peer } from '../../support/peers.js';
import { rejects } from '../../support/rejects.js';
import { OPERATIONS, outcomeOf, prepare, withFaults } from '../../support/write-operations.js';

/** Operations that read by themselves, so that what is lost is not only a write. */
const READING: ReadonlySet<string> = new Set(['mutate', 'deleting rows']);

describePeers('lost answers', peer => {
  for (const operation of OPERATIONS) {
    test(`${operation.name} is done, whichever one request fails, and however`, async () => {
      const first = await prepare(peer, operation);
      const counting = withFaults(peer, () => undefined);
      await operation.run(counting.db.repo(Employee, { table: first.table }), counting.db, first.stored);
      const calls = counting.httpClient.count;
      for (let index = 0; index < calls; index++)
        for (const fault of SOME_FAULTS) {
          const { table, clean, stored } = await prepare(peer, operation);
          const { db } = withFaults(peer, faultAt(fault, index));
          await operation.run(db.repo(Employee, { table }), db, stored);
          assert(operation.isDone(await clean.get(anna)), `${fault} at ${index}`);
        }
    });

    test(`${operation.name} tells the truth when answers fail as often as it is tried`, async () => {
      for (const fault of SOME_FAULTS)
        for (const lookFails of [false, true]) {
          const { table, clean, stored } = await prepare(peer, operation);
          const isLook = (method: string): boolean => method === 'GET' && !READING.has(operation.name);
          const { db } = withFaults(peer, (_, { method }) =>
            isLook(method) && !lookFails ? undefined : fault,
          );
          const outcome = await outcomeOf(operation.run(db.repo(Employee, { table }), db, stored));
          const isDone = operation.isDone(await clean.get(anna));
          const place = `${fault}, ${lookFails ? 'look fails' : 'look is answered'}: ${outcome}`;
          if (outcome === 'done') assert(isDone, place);
          else if (outcome !== 'OutcomeUnknown') assert(!isDone, place);
          // A put may overwrite a later put, so a row without its operation id shows nothing.
          if (!lookFails && !operation.name.startsWith('upsert'))
            assert.notEqual(outcome, 'OutcomeUnknown', place);
        }
    });
  }

  test('a write that was done is seen also behind the writes of others', async () => {
    const { table, repo: clean } = await fresh(peer, Employee);
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
    const { table, repo: clean } = await fresh(peer, Employee);
    const stored = await clean.create(anna);
    const { staff } = intercepted(peer, table, 'reset before', async () => {
      await clean.merge(stored, { score: 8 });
    });
    await rejects(staff.merge(stored, { note: 'done' }), 'Conflict');
  });

  test('what nobody can know is OutcomeUnknown', async () => {
    const { table, repo: clean } = await fresh(peer, Employee);
    const stored = await clean.create(anna);
    const { staff } = intercepted(peer, table, 'reset after', async () => {
      await clean.upsert(anna);
    });
    await rejects(staff.merge(stored, { note: 'done' }), 'OutcomeUnknown', { op: 'merge' });
    const again = await clean.get(anna);
    assert(again);
    const second = intercepted(peer, table, 'reset after', async () => {
      await clean.create(anna);
    });
    await rejects(second.staff.delete(again), 'OutcomeUnknown', { op: 'delete' });
  });

  test('without operation ids a write that was sent twice may be told to have failed', async () => {
    const table = await peer.newTable();
    const { db } = withFaults(peer, faultAt('reset after', 0), { operationIds: false });
    const staff = db.repo(Employee, { table });
    await rejects(staff.create(anna), 'AlreadyExists');
    assert.deepEqual((await staff.get(anna))?.value, anna);
  });

  test('a batch that is known to be done stays done, though no later answer arrives', async () => {
    const table = await peer.newTable();
    const plan = (index: number) => (index === 0 || index >= 3 ? 'reset after' : undefined);
    const { db } = withFaults(peer, plan);
    const [first, second] = await db
      .batch(Employee, anna, { table })
      .create(Employee, anna)
      .create(Employee, { ...anna, id: 2 })
      .commit();
    const clean = peer.open().repo(Employee, { table });
    assert.equal(first?.etag, (await clean.get(anna))?.etag);
    assert.equal(second?.etag, OUTDATED_ETAG);
    assert(await clean.get({ ...anna, id: 2 }));
  });

  test('where nobody listens, nothing was done', async () => {
    const httpClient = {
      sendRequest: async () => {
        throw new RestError('Nobody is there.', { code: 'ECONNREFUSED' });
      },
    };
    const staff = peer.open({ httpClient }).repo(Employee);
    await rejects(staff.create(anna), 'Unreachable', { attempts: 4 });
    await rejects(staff.get(anna), 'Unreachable', { attempts: 4 });
  });

  test('a connection that broke leaves no timer behind', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length;
    const { pipeline } = peer.client();
    const before = timers();
    // Port 1 is privileged, so nothing listens there.
    const staff = open({ tables: { url: 'http://127.0.0.1:1/account', pipeline } }).repo(Employee);
    await rejects(staff.create(anna), 'Unreachable', { attempts: 4 });
    assert(timers() <= before, `${timers()} timers, and ${before} before.`);
  });

  test('a signal stops a write', async () => {
    const staff = peer.open().repo(Employee, { table: await peer.newTable() });
    await assert.rejects(staff.create(anna, { signal: AbortSignal.abort() }), { name: 'AbortError' });
    assert.equal(await staff.get(anna), undefined);
  });

  test('a look that fails names both failures', async () => {
    const table = await peer.newTable();
    const { db } = withFaults(peer, () => 'reset after');
    await assert.rejects(db.repo(Employee, { table }).create(anna), (thrown: unknown) => {
      assert(PatternError.is(thrown, 'OutcomeUnknown') && thrown.cause instanceof AggregateError);
      assert.equal(thrown.cause.errors.length, 2);
      return true;
    });
  });
});

/** A repository whose first write fails so, while others do something before the client tries again. */
function intercepted(peer: Peer, table: string, fault: Fault, meanwhile: () => Promise<void>) {
  let left = 1;
  const httpClient = new FaultyClient(faultAt(fault, 0), async () => {
    if (left-- > 0) await meanwhile();
  });
  return { staff: peer.open({ httpClient }).repo(Employee, { table }) };
}
