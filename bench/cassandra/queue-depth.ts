// The cost of a message on a cluster: in a short queue, in a long one, and in that one after most of its messages were
// deleted; and the most tombstones that a read of rows walked in the meantime, by the nodes' own count.
import { askOnce } from '../load/ask-once.js';
import type { Endpoint } from '../load/requests.js';
import { median } from '../load/statistics.js';
import type { QueueJob, QueueResult, QueueStep } from '../queues/queue-load.js';
import { TEXT_BYTES } from './messages.js';
import type { Queue, QueueStepJob, Walked } from './works.js';

interface QueueDepthOptions {
  /** The server's, which is started if it does not run. */
  readonly endpoint: () => Promise<Endpoint>;
  /** In the long queue. */
  readonly messages: number;
  readonly runs: number;
  readonly milliseconds: number;
  readonly say: (line: string) => void;
  readonly ask: <T>(subject: 'driver' | 'engine', job: { readonly queue: QueueStepJob }) => Promise<T>;
}

export interface QueueDepth {
  readonly state: 'short' | 'long' | 'after the deletes';
  /** Messages, before it was measured. */
  readonly depth: number;
  readonly deleted: number;
  readonly cyclesPerSecond: number;
  /** Milliseconds, by step. */
  readonly p50: Readonly<Record<QueueStep, number>>;
  readonly p99: Readonly<Record<QueueStep, number>>;
  /** Answers that the server was busy. */
  readonly busy: number;
  /** The most that a read walked. */
  readonly tombstones: number;
}

const QUEUES = new URL('../queues/queue-load.js', import.meta.url);
const QUEUE_CLIENTS = 16;
const SHORT = 100;
/** In addition to those that are deleted. */
const LEFT = 1000;
/** Between two reads of the nodes' counts: they forget within minutes. */
const DELETES_AT_ONCE = 20_000;
const TELL_EVERY = 100_000;
const STEPS = ['put', 'get', 'delete'] as const;

class Depths {
  readonly #options: QueueDepthOptions;
  #first: number;

  constructor(options: QueueDepthOptions) {
    this.#options = options;
    this.#first = options.messages + LEFT + SHORT;
  }

  async short(): Promise<QueueDepth> {
    await this.#fill('short', SHORT);
    return this.#measure('short', { state: 'short', depth: SHORT, deleted: 0 });
  }

  /** Before its messages are deleted, and after. */
  async long(): Promise<readonly QueueDepth[]> {
    const { messages, say, ask } = this.#options;
    await this.#fill('long', messages + LEFT);
    const full = await this.#measure('long', { state: 'long', depth: messages + LEFT, deleted: 0 });
    // Measuring has deleted as many as it put.
    const gone = this.#gone;
    const start = performance.now();
    let walked = full.tombstones;
    for (let from = gone; from < messages; from += DELETES_AT_ONCE) {
      const until = Math.min(messages, from + DELETES_AT_ONCE);
      await ask('engine', { queue: { drain: 'long', from, until } });
      walked = Math.max(walked, await this.#walked());
      if (Math.floor(until / TELL_EVERY) > Math.floor(from / TELL_EVERY))
        say(`queue: ${until} deleted after ${secondsSince(start)} s`);
    }
    say(`queue: ${messages} messages deleted in ${secondsSince(start)} s`);
    const emptied = await this.#measure('long', {
      state: 'after the deletes',
      depth: LEFT,
      deleted: messages,
    });
    return [full, { ...emptied, tombstones: Math.max(walked, emptied.tombstones) }];
  }

  /** Messages of the long queue that its cycles took from its head. */
  #gone = 0;

  async #fill(name: string, messages: number): Promise<void> {
    const { say, ask } = this.#options;
    await this.#job({ work: 'create', queue: name, clients: 1, count: 1 });
    const start = performance.now();
    const queue = await ask<Queue>('engine', { queue: { lookAtQueue: name } });
    await ask('driver', { queue: { fillQueue: queue, messages } });
    say(`queue: ${messages} messages in ${secondsSince(start)} s`);
  }

  async #measure(queue: string, what: Pick<QueueDepth, 'state' | 'depth' | 'deleted'>): Promise<QueueDepth> {
    const { runs, milliseconds, say } = this.#options;
    const results: QueueResult[] = [];
    this.#gone = 0;
    for (let run = 1; run <= runs; run++) {
      const result = await this.#job({ work: 'cycle', queue, milliseconds });
      results.push(result);
      this.#gone += result.completed;
      say(`queue, ${what.state}, run ${run}: ${Math.round(perSecondOf(result))} cycles a second`);
    }
    const of = (share: 'p50' | 'p99') =>
      Object.fromEntries(
        STEPS.map(step => [step, median(results.map(({ steps }) => steps[step]?.[share] ?? Number.NaN))]),
      ) as QueueDepth['p50'];
    return {
      ...what,
      busy: results.reduce((sum, { busy }) => sum + busy, 0),
      cyclesPerSecond: median(results.map(perSecondOf)),
      p50: of('p50'),
      p99: of('p99'),
      tombstones: await this.#walked(),
    };
  }

  async #walked(): Promise<number> {
    const { tombstones } = await this.#options.ask<Walked>('driver', { queue: { walked: true } });
    return tombstones;
  }

  async #job(job: Pick<QueueJob, 'work' | 'queue'> & Partial<QueueJob>): Promise<QueueResult> {
    const endpoint = await this.#options.endpoint();
    const of = { rows: 1, textBytes: TEXT_BYTES, isPatient: true };
    const defaults = { endpoint, clients: QUEUE_CLIENTS, first: this.#first, ...of };
    const result = await askOnce<QueueResult>(QUEUES, 'runQueueJob', { ...defaults, ...job });
    this.#first += result.completed + QUEUE_CLIENTS;
    return result;
  }
}

const secondsSince = (start: number): string => ((performance.now() - start) / 1000).toFixed(1);

const perSecondOf = ({ completed, milliseconds }: QueueResult): number => (completed * 1000) / milliseconds;

export async function measureQueueDepth(options: QueueDepthOptions): Promise<readonly QueueDepth[]> {
  const depths = new Depths(options);
  return [await depths.short(), ...(await depths.long())];
}
