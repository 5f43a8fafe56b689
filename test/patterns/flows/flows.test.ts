// Flows over a queue: what a message says, what workers make of it, and what becomes of messages that fail. matrix/ ends programs at every request.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { type Db, open } from '#patterns';
import type { FlowEvent } from '#patterns/flows';
import { type Flow, flow, follow, type Step, type WorkerOptions } from '#patterns/flows';
import { anna, Employee } from '../support/employee.js';
import { describePeers, type Peer } from '../support/peers.js';
import { rejects } from '../support/rejects.js';
import { newName, SOON, told } from './flow-setting.js';

const Job = z.object({ department: z.string(), id: z.number() });
type Job = z.output<typeof Job>;

const annaKey: Job = { department: anna.department, id: anna.id };

/** A message is kept as long as its write may take. */
const soon: WorkerOptions = { ...SOON, grace: 600, rest: { base: 5, cap: 50 }, backoff: { base: 1, cap: 2 } };

async function made(peer: Peer, steps: readonly Step<Job>[]): Promise<{ db: Db; jobs: Flow<Job, Job> }> {
  const db = peer.open();
  const jobs = flow(newName('jobs'), Job, steps);
  await jobs.createQueues(db);
  return { db, jobs };
}

describePeers('flows', peer => {
  test('run their steps in order with the input and the id, and then the message is gone', async () => {
    const ran: unknown[] = [];
    const step = (name: string): Step<Job> => ({
      name,
      run: async (input, { id, attempt }) => void ran.push([name, input, id, attempt]),
    });
    const { db, jobs } = await made(peer, [step('one'), step('two')]);
    const input = { department: 'Sales', id: 1 };
    const id = await jobs.start(db, input);
    assert.equal(await jobs.start(db, input, { id: 'mine' }), 'mine');
    assert.equal((await jobs.figures(db)).pending, 2);
    const events: FlowEvent[] = [];
    const worker = jobs.worker(db, { ...soon, concurrency: 1, report: event => events.push(event) });
    await told(events, 'done', 2);
    await worker.stop();
    assert.deepEqual(ran, [
      ['one', input, id, 1],
      ['two', input, id, 1],
      ['one', input, 'mine', 1],
      ['two', input, 'mine', 1],
    ]);
    assert.deepEqual(await jobs.figures(db), { pending: 0, oldest: undefined, poisoned: 0 });
  });

  test('refuse what their schema refuses before anything is sent', async () => {
    const { db, jobs } = await made(peer, [{ name: 'none', run: async () => {} }]);
    // @ts-expect-error a number is needed
    await rejects(jobs.start(db, { department: 'Sales', id: 'x' }), 'ValueInvalid');
    const texts = flow(newName('jobs'), z.string(), [{ name: 'none', run: async () => {} }]);
    await rejects(texts.start(db, 'x'), 'QueueNotFound');
    await rejects(async () => texts.start(open({ tables: peer.client() }), 'x'), 'DefinitionInvalid');
  });

  test('take inputs up to 64 KiB as they are encoded', async () => {
    const db = peer.open();
    const got: number[] = [];
    const texts = flow(newName('jobs'), z.string(), [
      { name: 'count', run: async input => void got.push(input.length) },
    ]);
    await texts.createQueues(db);
    const id = 'x';
    // 49,152 bytes are 65,536 characters of base64.
    const text = { v: 1, flow: texts.name, version: 1, id, input: '', state: '00000' };
    const room = 49_152 - JSON.stringify(text).length;
    await texts.start(db, 'a'.repeat(room - 1), { id });
    await texts.start(db, 'a'.repeat(room), { id });
    await rejects(texts.start(db, 'a'.repeat(room + 1), { id }), 'TooLarge', {
      what: 'message',
      limit: 65_536,
    });
    const events: FlowEvent[] = [];
    await using _ = texts.worker(db, { ...soon, report: event => events.push(event) });
    await told(events, 'done', 2);
    assert.deepEqual(got.toSorted(), [room - 1, room]);
  });

  test('a step that fails is tried again, with a pause, and then put aside', async () => {
    const attempts: number[] = [];
    const { db, jobs } = await made(peer, [
      {
        name: 'fails',
        run: async (_, { attempt }) => {
          attempts.push(attempt);
          throw new Error('Nobody is at home.');
        },
      },
    ]);
    const id = await jobs.start(db, { department: 'Sales', id: 1 });
    const events: FlowEvent[] = [];
    const worker = jobs.worker(db, { ...soon, maxDequeue: 3, report: event => events.push(event) });
    await told(events, 'poisoned');
    await worker.stop();
    assert.deepEqual(attempts, [1, 2, 3]);
    assert.deepEqual(
      events.map(({ kind }) => kind),
      ['failed', 'failed', 'failed', 'poisoned'],
    );
    assert.deepEqual(await jobs.figures(db).then(({ pending, poisoned }) => [pending, poisoned]), [0, 1]);
    const listed = [];
    for await (const each of jobs.poison(db)) listed.push([each.input, each.id, each.reason]);
    assert.deepEqual(listed, [[{ department: 'Sales', id: 1 }, id, 'Nobody is at home.']]);
  });

  test('a write that is followed is announced before it is done, and seen before its message goes', async () => {
    const table = await peer.newTable();
    const seen: (string | undefined)[] = [];
    const events: FlowEvent[] = [];
    const copies = follow<typeof Employee, Job>({
      name: 'copy',
      entity: Employee,
      table,
      key: input => input,
      make: async row => void seen.push(row?.value.note),
    });
    const { db, jobs } = await made(peer, [copies]);
    await using _ = jobs.worker(db, { ...soon, report: event => events.push(event) });
    await jobs.write(
      db,
      annaKey,
      async own => {
        // The message is there first, and is kept while the row is not.
        await told(events, 'pending');
        return own.repo(Employee, { table }).create({ ...anna, note: 'there' });
      },
      { after: 0 },
    );
    await told(events, 'done');
    assert.deepEqual([seen[0], seen.at(-1)], [undefined, 'there']);
    const deleting = peer.open().repo(Employee, { table });
    const row = await deleting.get(anna);
    assert(row);
    await jobs.write(db, annaKey, own => own.repo(Employee, { table }).delete(row), {
      after: 0,
      deletes: true,
    });
    await told(events, 'done', 2);
    assert.equal(seen.at(-1), undefined);
  });

  test('a write that was refused takes its message back, and one that is never done has it dropped', async () => {
    const table = await peer.newTable();
    const step = follow<typeof Employee, Job>({
      name: 'copy',
      entity: Employee,
      table,
      key: input => input,
      make: async () => {},
    });
    const { db, jobs } = await made(peer, [step]);
    await db.repo(Employee, { table }).create(anna);
    const create = (own: Db) => own.repo(Employee, { table }).create(anna);
    await rejects(jobs.write(db, annaKey, create), 'AlreadyExists');
    assert.equal((await jobs.figures(db)).pending, 0);
    await assert.rejects(
      jobs.write(db, { ...annaKey, id: 2 }, () => Promise.reject(new Error('killed')), { after: 0 }),
    );
    assert.equal((await jobs.figures(db)).pending, 1);
    const events: FlowEvent[] = [];
    await using _ = jobs.worker(db, { ...soon, grace: 2, report: event => events.push(event) });
    await told(events, 'abandoned');
    assert.equal((await jobs.figures(db)).pending, 0);
  });
});
