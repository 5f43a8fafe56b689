// The cost of a message on a cluster: in a short queue, in a long one, and in that one after most of its messages were deleted; and the most
// tombstones that a read of rows walked in the meantime, by the nodes' own count.
import assert from 'node:assert/strict';
import { queueAddress } from '../../packages/queues/index.js';
import { fire } from '../load/autocannon.js';
import { createQueue, putStep, takeSteps } from '../load/queues.js';
import { create } from '../load/request.js';
import type { Line } from '../report.js';
import type { Sample } from '../subjects/subject.js';
import { type Cluster, type ClusterOptions, patiently, type Say } from './cluster.js';
import { drainQueue, fillQueue, TEXT_LENGTH } from './messages.js';

const CONNECTIONS = 16;
const SHORT = 100;
/** Of the long queue, in comparison with the rows of a scanned table. */
const MESSAGES_A_ROW = 10;
/** In addition to those that are deleted. */
const LEFT = 1000;
/** Between two reads of the nodes' counts: they forget within minutes. */
const DELETES_AT_ONCE = 20_000;
/** The most that a read may walk. */
const TOMBSTONES_MAX = 1000;

async function fill(cluster: Cluster, queue: string, messages: number, say: Say): Promise<void> {
  const at = await cluster.endpoint('queue');
  await create(at, createQueue(at, queue));
  const space = await cluster.space(queueAddress(cluster.account, queue));
  const store = await cluster.engine();
  await patiently(`filling ${queue}`, say, () => fillQueue(store, space, messages));
  say(`queue ${queue}: ${messages} messages`);
}

/** Deletes so many messages, like their receivers. @returns the most tombstones that a read walked. */
async function drain(cluster: Cluster, queue: string, messages: number, say: Say): Promise<number> {
  const space = await cluster.space(queueAddress(cluster.account, queue));
  const store = await cluster.engine();
  let [tombstones, deleted] = [0, 0];
  for (let from = 0; from < messages; from += DELETES_AT_ONCE) {
    const until = Math.min(messages, from + DELETES_AT_ONCE);
    deleted += await patiently(`deletes of ${queue}`, say, () => drainQueue(store, space, from, until));
    tombstones = Math.max(tombstones, await cluster.mostTombstones());
  }
  // Those of cycles, and of commits whose answer was late, were not there any more.
  assert(deleted > messages / 2, `${deleted} messages of ${messages} were there to delete`);
  say(`queue ${queue}: ${deleted} messages deleted`);
  return tombstones;
}

export async function measureQueues(
  cluster: Cluster,
  { rows, runs, seconds }: ClusterOptions,
  say: Say,
): Promise<readonly Line[]> {
  const messages = rows * MESSAGES_A_ROW;
  let next = messages + LEFT;
  /** Puts, gets and deletes a message; the latency is that of a get. */
  const cycles = async (workload: string, queue: string, walkedBefore = 0): Promise<Line> => {
    const at = await cluster.endpoint('queue');
    const samples: Sample[] = [];
    for (let run = 1; run <= runs; run++) {
      const steps = [putStep(at, queue, next, TEXT_LENGTH), ...takeSteps(at, queue, TEXT_LENGTH)];
      const load = { port: at.port, connections: CONNECTIONS, seconds, isPatient: true };
      const fired = await fire(steps, load);
      const [puts = 0, , deletes = 0] = fired.completed;
      const [, latency = { p50: Number.NaN, p99: Number.NaN }] = fired.latencies;
      const perSecond = (deletes * 1000) / fired.milliseconds;
      next += puts + CONNECTIONS;
      samples.push({ perSecond, latency });
      say(`${workload}, run ${run}: ${Math.round(perSecond)} cycles a second`);
    }
    const walked = Math.max(walkedBefore, await cluster.mostTombstones());
    const others = [{ name: 'tombstones', value: walked, most: TOMBSTONES_MAX }];
    return { workload, unit: 'cycles/s', samples: new Map([['http', samples]]), others };
  };
  await fill(cluster, 'short', SHORT, say);
  await fill(cluster, 'long', messages + LEFT, say);
  const short = await cycles('queue-short', 'short');
  const long = await cycles('queue-long', 'long');
  return [short, long, await cycles('queue-emptied', 'long', await drain(cluster, 'long', messages, say))];
}
