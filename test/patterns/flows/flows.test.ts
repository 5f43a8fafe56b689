// Flows over a queue: what a message says, what workers make of it, and what becomes of messages that fail. matrix/ ends programs at every request.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { type Db, open, type Repo } from '#patterns';
import { flow, follow, type Step } from '#patterns/flows';
import { collect } from '../support/collect.js';
import { anna, Employee } from '../support/employee.js';
import { describePeers, fresh } from '../support/peers.js';
import { rejects } from '../support/rejects.js';
import { AnyKey, annaKey, flowOf, type Key, newName } from './flow-setting.js';

const Job = z.object({ department: z.string(), id: z.number() });

/** A message is kept as long as its write may take. */
const PATIENT = { grace: 600 } as const;

describePeers('flows', peer => {
  test('run their steps in order with the input and the id, and then the message is gone', async () => {
    const ran: unknown[] = [];
    const step = (name: string): Step<Key> => ({
      name,
      run: async (input, { id, attempt }) => void ran.push([name, input, id, attempt]),
    });
    const { db, jobs, work, told, figures } = await flowOf(peer, Job, [step('one'), step('two')]);
    const id = await jobs.start(db, annaKey);
    assert.equal(await jobs.start(db, annaKey, { id: 'mine' }), 'mine');
    assert.deepEqual(await figures(), [2, 0]);
    const worker = work({ concurrency: 1 });
    await told('done', 2);
    await worker.stop();
    const steps = (of: string) => ['one', 'two'].map(name => [name, annaKey, of, 1]);
    assert.deepEqual(ran, [...steps(id), ...steps('mine')]);
    assert.deepEqual(await jobs.figures(db), { pending: 0, oldest: undefined, poisoned: 0 });
  });

  test('refuse what their schema refuses before anything is sent', async () => {
    const { db, jobs } = await flowOf(peer, Job, async () => {});
    // @ts-expect-error a number is needed
    await rejects(jobs.start(db, { department: 'Sales', id: 'x' }), 'ValueInvalid');
    const texts = flow(newName('jobs'), z.string(), [{ name: 'none', run: async () => {} }]);
    await rejects(texts.start(db, 'x'), 'QueueNotFound');
    await rejects(async () => texts.start(open({ tables: peer.client() }), 'x'), 'DefinitionInvalid');
  });

  test('take inputs up to 64 KiB as they are encoded', async () => {
    const got: number[] = [];
    const count = async (input: string): Promise<void> => void got.push(input.length);
    const { db, jobs, work, told } = await flowOf(peer, z.string(), count);
    const id = 'x';
    // 49,152 bytes are 65,536 characters of base64.
    const text = { v: 1, flow: jobs.name, version: 1, id, input: '', state: '00000' };
    const room = 49_152 - JSON.stringify(text).length;
    for (const length of [room - 1, room]) await jobs.start(db, 'a'.repeat(length), { id });
    const larger = jobs.start(db, 'a'.repeat(room + 1), { id });
    await rejects(larger, 'TooLarge', { what: 'message', limit: 65_536 });
    await using _ = work();
    await told('done', 2);
    assert.deepEqual(got.toSorted(), [room - 1, room]);
  });

  test('a step that fails is tried again, with a pause, and then put aside', async () => {
    const attempts: number[] = [];
    const { db, jobs, work, told, events, figures } = await flowOf(peer, Job, async (_, { attempt }) => {
      attempts.push(attempt);
      throw new Error('Nobody is at home.');
    });
    const id = await jobs.start(db, annaKey);
    const worker = work({ maxDequeue: 3, backoff: { base: 1, cap: 2 } });
    await told('poisoned');
    await worker.stop();
    assert.deepEqual(attempts, [1, 2, 3]);
    assert.deepEqual(
      events.map(({ kind }) => kind),
      ['failed', 'failed', 'failed', 'poisoned'],
    );
    assert.deepEqual(await figures(), [0, 1]);
    const [listed] = await collect(jobs.poison(db));
    assert.deepEqual([listed?.input, listed?.id, listed?.reason], [annaKey, id, 'Nobody is at home.']);
  });

  /** A table of rows that a flow follows. */
  const followed = async (make: (note: string | undefined, isThere: boolean) => void) => {
    const { table } = await fresh(peer, Employee);
    const copies = follow<typeof Employee, Key>({
      name: 'copy',
      entity: Employee,
      table,
      key: input => input,
      make: async row => make(row?.value.note, row !== undefined),
    });
    const made = await flowOf(peer, AnyKey, [copies]);
    const write = (act: (rows: Repo<typeof Employee>) => Promise<unknown>, options: object, key = annaKey) =>
      made.jobs.write(made.db, key, (own: Db) => act(own.repo(Employee, { table })), options);
    return { ...made, write, rows: made.db.repo(Employee, { table }) };
  };

  test('a write that is followed is announced before it is done, and seen before its message goes', async () => {
    const seen: unknown[] = [];
    const { work, told, write, rows } = await followed((note, isThere) => seen.push(isThere && note));
    await using _ = work(PATIENT);
    await write(
      async own => {
        // The message is there first, and is kept while the row is not.
        await told('pending');
        return own.create({ ...anna, note: 'there' });
      },
      { after: 0 },
    );
    await told('done');
    assert.deepEqual([seen[0], seen.at(-1)], [false, 'there']);
    const row = (await rows.get(anna)) ?? assert.fail();
    await write(own => own.delete(row), { after: 0, deletes: true });
    await told('done', 2);
    assert.equal(seen.at(-1), false);
  });

  test('a write that was refused takes its message back, and one that is never done has it dropped', async () => {
    const { work, told, write, rows, figures } = await followed(() => undefined);
    await rows.create(anna);
    await rejects(
      write(own => own.create(anna), {}),
      'AlreadyExists',
    );
    assert.deepEqual(await figures(), [0, 0]);
    const killed = () => Promise.reject(new Error('killed'));
    await assert.rejects(write(killed, { after: 0 }, { ...annaKey, id: 2 }));
    assert.deepEqual(await figures(), [1, 0]);
    await using _ = work({ grace: 2 });
    await told('abandoned');
    assert.deepEqual(await figures(), [0, 0]);
  });
});
