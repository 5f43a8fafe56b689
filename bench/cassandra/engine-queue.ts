// The engine on queues: where the messages of one are, and deletes of many of them like their receivers' deletes, with
// looks for the head in between.
import { setTimeout as sleep } from 'node:timers/promises';
import { queueAddress } from '../../packages/queues/index.js';
import { type Budget, type Engine, type Space, StoreError } from '../../packages/store/index.js';
import { WrongAnswer } from '../load/job.js';
import { COUNT_KEY, changeCount, keysOfMessage, partitionOf } from './messages.js';
import type { Queue, QueueDrainJob, QueueLookJob } from './works.js';

/** Per commit: two rows each, and the count. As many waiting deletes become one commit, too. */
const MESSAGES_A_COMMIT = 400;
const SHARE_MIN = 0.5;
const ATTEMPTS = 10;
const PAUSE_MS = 2000;
const NO_BOUND = Number.POSITIVE_INFINITY;
/** The maximum of a get. */
const LOOK: Budget = { rows: 32, bytes: NO_BOUND, examined: NO_BOUND, milliseconds: NO_BOUND };

async function spaceOf(store: Engine, account: string, queue: string): Promise<Space> {
  const space = await store.getSpace(queueAddress(account, queue));
  if (space === undefined) throw new Error(`There is no queue ${queue}.`);
  return space;
}

export async function lookAtQueue(
  store: Engine,
  account: string,
  { lookAtQueue: queue }: QueueLookJob,
): Promise<Queue> {
  const space = await spaceOf(store, account, queue);
  return { sid: space.id, partition: partitionOf(space) };
}

/** Nodes that compact a large partition answer nothing for a while. An unanswered delete may have happened: fewer are left then. */
async function patiently(work: (attempt: number) => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(attempt);
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'busy' || attempt === ATTEMPTS) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

export async function drainQueue(
  store: Engine,
  account: string,
  { drain, from, until }: QueueDrainJob,
): Promise<object> {
  const space = await spaceOf(store, account, drain);
  const partition = partitionOf(space);
  const remove = async (first: number, attempt: number): Promise<void> => {
    const count = Math.min(MESSAGES_A_COMMIT, until - first);
    const keys = Array.from({ length: count }, (_, offset) => keysOfMessage(first + offset)).flat();
    await store.commit(space, partition, { keys: [COUNT_KEY, ...keys] }, ({ keys: [number, ...found] }) => {
      // A few may have been got before.
      const deletes = found.filter(row => row !== undefined).map(({ key }) => key);
      const mayBeDone = attempt > 1 && deletes.length === 0;
      if (deletes.length < keys.length * SHARE_MIN && !mayBeDone)
        throw new WrongAnswer('engine: messages are not there');
      return { result: true, puts: [changeCount(number, -deletes.length / 2)], deletes };
    });
  };
  const look = async (): Promise<void> => {
    const range = { from: { partition, key: 'at/' }, until: { partition, key: 'at0' } };
    await store.scan(space, range, LOOK, () => true);
  };
  for (let first = from; first < until; first += MESSAGES_A_COMMIT) {
    await patiently(attempt => remove(first, attempt));
    await patiently(look);
  }
  return {};
}
