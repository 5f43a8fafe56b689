// Writes whose requests or answers get lost, at every place and in every way that they can: each ends in one outcome, and it is the true one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RestError } from '@azure/core-rest-pipeline';
import { open, PatternError, type Repo } from '#patterns';
import { OUTDATED_ETAG } from '#patterns/internals';
import { outcomeOf } from '../../support/collect.js';
import { anna, Employee } from '../../support/employee.js';
import { type Fault, FaultyClient, faultAt, SOME_FAULTS } from '../../support/faulty-client.js';
import { describePeers, fresh, nextTurn } from '../../support/peers.js';
import { rejects } from '../../support/rejects.js';
import { OPERATIONS, prepared } from '../../support/write-operations.js';

type Staff = Repo<typeof Employee>;

/** Operations that read by themselves, so that what is lost is not only a write. */
const READING: ReadonlySet<string> = new Set(['mutate', 'deleting rows']);

describePeers('lost answers', peer => {
  for (const name of OPERATIONS) {
    test(`${name} is done, whichever one request fails, and however`, async () => {
      const counting = await prepared(peer, name);
      await counting.act();
      for (let index = 0; index < counting.httpClient.count; index++)
        for (const fault of SOME_FAULTS) {
          const { act, isDone } = await prepared(peer, name, faultAt(fault, index));
          await act();
          assert(await isDone(), `${fault} at ${index}`);
        }
    });

    test(`${name} tells the truth when answers fail as often as it is tried`, async () => {
      for (const fault of SOME_FAULTS)
        for (const lookFails of [false, true]) {
          const isLook = (method: string): boolean => method === 'GET' && !READING.has(name);
          const { act, isDone } = await prepared(peer, name, (_, { method }) =>
            isLook(method) && !lookFails ? undefined : fault,
          );
          const outcome = await outcomeOf(act());
          const place = `${fault}, ${lookFails ? 'look fails' : 'look is answered'}: ${outcome}`;
          if (outcome !== 'OutcomeUnknown') assert.equal(await isDone(), outcome === 'done', place);
          // A put may overwrite a later put, so a row without its operation id shows nothing.
          if (!lookFails && !name.startsWith('upsert')) assert.notEqual(outcome, 'OutcomeUnknown', place);
        }
    });
  }

  /** A row, and a program whose first write fails so, while others do something before it tries again. */
  async function intercepted(fault: Fault, meanwhile: (clean: Staff) => Promise<unknown>) {
    const { table, repo: clean } = await fresh(peer, Employee);
    let left = 1;
    const httpClient = new FaultyClient(faultAt(fault, 0), async () => {
      if (left-- > 0) await meanwhile(clean);
    });
    const stored = await clean.create(anna);
    return { clean, stored, staff: peer.open({ httpClient }).repo(Employee, { table }) };
  }

  test('a write that was done is seen also behind the writes of others', async () => {
    const { staff, stored, clean } = await intercepted('reset after', async others => {
      for (let n = 0; n < 5; n++) await others.mutate(anna, row => row && { ...row, score: n });
    });
    const merged = await staff.merge(stored, { note: 'done' });
    // The row has changed since, so what was given back is no longer good for a write.
    await rejects(clean.replace(merged, anna), 'Conflict');
    assert.deepEqual((await clean.get(anna))?.value, { ...anna, note: 'done', score: 4 });
  });

  test('a write that was not done is told so behind the writes of others', async () => {
    const { staff, stored } = await intercepted('reset before', clean =>
      clean.mutate(anna, row => row && { ...row, score: 8 }),
    );
    await rejects(staff.merge(stored, { note: 'done' }), 'Conflict');
  });

  test('what nobody can know is OutcomeUnknown', async () => {
    const merging = await intercepted('reset after', clean => clean.upsert(anna));
    const patch = { note: 'done' };
    await rejects(merging.staff.merge(merging.stored, patch), 'OutcomeUnknown', { op: 'merge' });
    const deleting = await intercepted('reset after', clean => clean.create(anna));
    await rejects(deleting.staff.delete(deleting.stored), 'OutcomeUnknown', { op: 'delete' });
  });

  test('without operation ids a write that was sent twice may be told to have failed', async () => {
    const plan = faultAt('reset after', 0);
    const { repo: staff } = await fresh(peer, Employee, { plan, operationIds: false });
    await rejects(staff.create(anna), 'AlreadyExists');
    assert.deepEqual((await staff.get(anna))?.value, anna);
  });

  test('a batch that is known to be done stays done, though no later answer arrives', async () => {
    const plan = (index: number) => (index === 0 || index >= 3 ? 'reset after' : undefined);
    const { db, table } = await fresh(peer, Employee, { plan, sleep: nextTurn });
    const [first, second] = await db
      .batch(Employee, anna, { table })
      .create(Employee, anna)
      .create(Employee, { ...anna, id: 2 })
      .commit();
    const clean = peer.open().repo(Employee, { table });
    assert.deepEqual([first?.etag, second?.etag], [(await clean.get(anna))?.etag, OUTDATED_ETAG]);
    assert(await clean.get({ ...anna, id: 2 }));
  });

  test('where nobody listens, nothing was done, and no timer is left behind', async () => {
    const refused = async () => {
      throw new RestError('Nobody is there.', { code: 'ECONNREFUSED' });
    };
    const unheard = peer.open({ httpClient: { sendRequest: refused } }).repo(Employee);
    await rejects(unheard.get(anna), 'Unreachable', { attempts: 4 });
    const timers = (): number => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length;
    const { pipeline } = peer.client();
    const before = timers();
    // Port 1 is privileged, so nothing listens there.
    const staff = open({ tables: { url: 'http://127.0.0.1:1/account', pipeline } }).repo(Employee);
    await rejects(staff.create(anna), 'Unreachable', { attempts: 4 });
    assert(timers() <= before, `${timers()} timers, and ${before} before.`);
  });

  test('a signal stops a write', async () => {
    const { repo: staff } = await fresh(peer, Employee);
    await assert.rejects(staff.create(anna, { signal: AbortSignal.abort() }), { name: 'AbortError' });
    assert.equal(await staff.get(anna), undefined);
  });

  test('a look that fails names both failures', async () => {
    const { repo: staff } = await fresh(peer, Employee, { plan: () => 'reset after', sleep: nextTurn });
    await assert.rejects(staff.create(anna), (thrown: unknown) => {
      assert(PatternError.is(thrown, 'OutcomeUnknown') && thrown.cause instanceof AggregateError);
      return thrown.cause.errors.length === 2;
    });
  });
});
