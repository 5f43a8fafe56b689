// The clients of a round: eight, of tables, of a queue and of blobs, until they are stopped; then everything is read once more, and what all were answered is judged.
import { setTimeout as sleep } from 'node:timers/promises';
import { rawBlobRequest } from '../../../crash/blobs/blob-request.js';
import { Journal } from '../../../crash/journal.js';
import { Ledger, NOBODY } from '../../../crash/queues/ledger.js';
import { QueueHand } from '../../../crash/queues/queue-hand.js';
import type { QueueCall } from '../../../queues/call.js';
import type { Random } from '../../../simulation/plan/random.js';
import { Connection } from '../../../support/worker-processes.js';
import type { FrontEnds, Service } from '../cluster/front-ends.js';
import { blobFaults } from '../judge/blobs.js';
import { allFaults } from '../judge/explain.js';
import { rowFaults } from '../judge/rows.js';
import { type BlobHistory, BlobWriter, CONTAINER } from './blob-writer.js';
import { Asking } from './client.js';
import type { Pace } from './pace.js';
import { GROUP, type TableHistory, TableWriter } from './table-writer.js';

const TABLE_WRITERS = 4;
const QUEUE_HANDS = 2;
const BLOB_WRITERS = 2;
const PARTITIONS = 3;
const BLOBS = 2;
/** Seconds that messages are hidden for. */
const HIDDEN = [1, 1, 2];
const HIDDEN_MS_MAX = 2200;
const TAKEN_AT_ONCE = 32;
const ATTEMPTS = 30;
const PAUSE_MS = 500;

export interface WorkOptions {
  readonly round: number;
  readonly frontEnds: Pick<FrontEnds, 'portOf'>;
  readonly random: Random;
  readonly pace: Pace;
}

/** The table and the container of all rounds. */
export async function makeContainers({ frontEnds, random, pace }: Omit<WorkOptions, 'round'>): Promise<void> {
  const history: TableHistory = { journal: new Journal(), happenings: [], faults: [], steps: 0 };
  const asking = new Asking(() => frontEnds.portOf('table'), pace);
  await new TableWriter({ number: 0, asking, random, history, partitions: [] }).createTable();
  asking.close();
  const blobs = new Connection(frontEnds.portOf('blob'));
  const { status, body } = await blobs.request(
    rawBlobRequest({ method: 'PUT', path: CONTAINER, query: 'restype=container' }),
  );
  blobs.close();
  if (status !== 201) throw new Error(`The container was answered ${status} ${body}`);
}

export class Work {
  readonly journal = new Journal();
  readonly #options: WorkOptions;
  readonly #rows: TableHistory;
  readonly #blobs: BlobHistory;
  readonly #ledger: Ledger;
  readonly #queue: string;
  readonly #tableWriters: readonly TableWriter[];
  readonly #blobWriters: readonly BlobWriter[];
  readonly #askings: Asking[] = [];
  readonly #partitions: readonly string[];
  #isOver = false;
  #running: Promise<unknown> = Promise.resolve();
  #hands: readonly QueueHand[] = [];

  constructor(options: WorkOptions) {
    const { round, random } = options;
    this.#options = options;
    this.#rows = { journal: this.journal, happenings: [], faults: [], steps: 0 };
    this.#blobs = { journal: this.journal, happenings: [], faults: [], steps: 0 };
    this.#ledger = new Ledger(this.journal, true);
    this.#queue = `faults-${round}`;
    this.#partitions = Array.from({ length: PARTITIONS }, (_, at) => `r${round}-${at}`);
    const [history, partitions] = [this.#rows, this.#partitions];
    this.#tableWriters = Array.from(
      { length: TABLE_WRITERS },
      (_, number) => new TableWriter({ number, asking: this.#asking('table'), random, history, partitions }),
    );
    const blobs = Array.from({ length: BLOBS }, (_, at) => `r${round}-${at}`);
    this.#blobWriters = Array.from(
      { length: BLOB_WRITERS },
      (_, number) =>
        new BlobWriter({ number, asking: this.#asking('blob'), random, history: this.#blobs, blobs }),
    );
    this.#readBlobs = () => Promise.all(blobs.map(blob => untilTrue(() => this.#blobWriters[0]?.read(blob))));
  }

  readonly #readBlobs: () => Promise<unknown>;

  async begin(): Promise<void> {
    const { frontEnds, random, pace } = this.#options;
    await this.#ask({ kind: 'createQueue', queue: this.#queue });
    const watch = { asked: () => undefined, answered: () => undefined };
    const port = (): number => frontEnds.portOf('queue');
    this.#hands = Array.from(
      { length: QUEUE_HANDS },
      () => new QueueHand({ port, ledger: this.#ledger, random, watch, hidden: HIDDEN, queue: this.#queue }),
    );
    pace.take();
    const writers = [...this.#tableWriters, ...this.#blobWriters];
    this.#running = Promise.all([
      ...writers.map(writer => this.#run(writer)),
      ...this.#hands.map(hand => hand.run()),
    ]);
    // A failure surfaces in `end`.
    this.#running.catch(() => undefined);
  }

  /** Resolves when nothing is under way any more. */
  async end(): Promise<void> {
    this.#isOver = true;
    for (const hand of this.#hands) hand.stop();
    await this.#running;
  }

  /** Answers that no client may get, judged once no call can take effect any more. */
  async judge(): Promise<readonly string[]> {
    this.#ledger.settle();
    for (const partition of this.#partitions) await untilTrue(() => this.#tableWriters[0]?.page(partition));
    await this.#readBlobs();
    await sleep(HIDDEN_MS_MAX);
    await this.#takeAll();
    for (const asking of this.#askings) asking.close();
    return allFaults([
      () => [...this.#rows.faults, ...this.#blobs.faults, ...this.#ledger.judge()],
      () => rowFaults(this.#rows.happenings, GROUP).map(fault => `table ${fault}`),
      () => blobFaults(this.#blobs.happenings).map(fault => `blob ${fault}`),
    ]);
  }

  async #run(writer: { turn(): Promise<void> }): Promise<void> {
    while (!this.#isOver) await writer.turn();
  }

  #asking(service: Service): Asking {
    const { frontEnds, pace } = this.#options;
    const asking = new Asking(() => frontEnds.portOf(service), pace);
    this.#askings.push(asking);
    return asking;
  }

  /** Until an answer has room for more: what it does not show cannot be visible. */
  async #takeAll(): Promise<void> {
    for (;;) {
      const messages = await this.#ask({
        kind: 'get',
        queue: this.#queue,
        count: TAKEN_AT_ONCE,
        seconds: 600,
      });
      if (messages.length < TAKEN_AT_ONCE) return;
    }
  }

  async #ask(call: QueueCall): Promise<readonly unknown[]> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const connection = new Connection(this.#options.frontEnds.portOf('queue'));
      const answer = await this.#ledger.ask(connection, call, NOBODY);
      connection.close();
      if (answer !== undefined) return answer.messages;
      this.#ledger.settle();
      await sleep(PAUSE_MS);
    }
    throw new Error('A cluster with all its nodes gave no answer.');
  }
}

async function untilTrue(ask: () => Promise<boolean> | undefined): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (await ask()) return;
    await sleep(PAUSE_MS);
  }
  throw new Error('A cluster with all its nodes gave no answer.');
}
