// The clients of a round: eight, of tables, of a queue and of blobs, until they are stopped; then everything is read
// once more, and all answers are judged.
import { setTimeout as sleep } from 'node:timers/promises';
import { blobFaults } from '../../../blobs/blob-judge.js';
import { BlobLedger } from '../../../blobs/blob-ledger.js';
import { allFaults } from '../../../histories/explain.js';
import { Hand, type HandOptions, type Runner } from '../../../histories/hand.js';
import { faultTexts } from '../../../histories/history.js';
import { Journal } from '../../../histories/journal.js';
import { type Coded, Ledger, type Sent } from '../../../histories/ledger.js';
import { NOBODY } from '../../../histories/trigger.js';
import { QueueLedger } from '../../../queues/queue-ledger.js';
import { HIDDEN_MILLISECONDS_MAX, sharedTurn } from '../../../queues/shared-turn.js';
import type { Draw } from '../../../random/arbitrary.js';
import { TABLE_WIRE } from '../../../simulation/run/table-wire.js';
import { Connection } from '../../../support/worker-processes.js';
import type { FrontEnds, Service } from '../cluster/front-ends.js';
import { rowFaults } from '../judge/rows.js';
import type { Pace } from './pace.js';
import { BlobTurns, blobRead, partitionPage, TABLE, TableTurns } from './turns.js';

const TABLE_WRITERS = 4;
const QUEUE_HANDS = 2;
const BLOB_WRITERS = 2;
const PARTITIONS = 3;
const BLOBS = 2;
/** Then another front end is tried. */
const ANSWERS_A_CONNECTION = 20;
/** After a lost answer. */
const REST_MILLISECONDS = 250;
const TAKEN_AT_ONCE = 32;
const ATTEMPTS = 30;
const PAUSE_MS = 500;

export interface WorkOptions {
  readonly round: number;
  readonly frontEnds: Pick<FrontEnds, 'portOf'>;
  readonly draw: Draw;
  readonly pace: Pace;
}

type AnyLedger<Call, Answer extends Coded> = Ledger<Call, Answer, Sent<Call, Answer>>;

const UNCLEAR = { mayBeUnclear: true };

/** The table of all rounds. */
export async function makeTable(frontEnds: WorkOptions['frontEnds']): Promise<void> {
  const connection = new Connection(frontEnds.portOf('table'));
  const { status, body } = await TABLE_WIRE.send(connection, { kind: 'createTable', table: TABLE });
  connection.close();
  if (status !== 201) throw new Error(`The table was answered ${status} ${body}`);
}

export class Work {
  readonly journal = new Journal();
  readonly #options: WorkOptions;
  readonly #rows = new Ledger(TABLE_WIRE, this.journal, UNCLEAR);
  readonly #messages = new QueueLedger(this.journal, UNCLEAR);
  readonly #blobs = new BlobLedger(this.journal, UNCLEAR);
  readonly #queue: string;
  readonly #partitions: readonly string[];
  readonly #containers: readonly string[];
  #runners: readonly Runner[] = [];
  #running: Promise<unknown> = Promise.resolve();

  constructor(options: WorkOptions) {
    const { round } = options;
    this.#options = options;
    this.#queue = `faults-${round}`;
    this.#partitions = Array.from({ length: PARTITIONS }, (_, at) => `r${round}-${at}`);
    this.#containers = Array.from({ length: BLOBS }, (_, at) => `r${round}-${at}`);
  }

  async begin(): Promise<void> {
    const { draw, pace } = this.#options;
    await this.#ask(this.#messages, 'queue', { kind: 'createQueue', queue: this.#queue });
    for (const container of this.#containers)
      await this.#ask(this.#blobs, 'blob', { kind: 'make', container });
    const ledger = this.#messages;
    const blobs = new BlobTurns(draw, this.#blobs, this.#containers);
    const rows = new TableTurns(draw, this.#partitions);
    pace.take();
    this.#runners = [
      ...this.#hands(TABLE_WRITERS, 'table', this.#paced(this.#rows), ask => rows.take(ask)),
      ...this.#hands(BLOB_WRITERS, 'blob', this.#paced(this.#blobs), ask => blobs.take(ask)),
      ...this.#hands(QUEUE_HANDS, 'queue', ledger, sharedTurn(ledger.caller, this.#queue, draw)),
    ];
    this.#running = Promise.all(this.#runners.map(one => one.run()));
    // The code that awaits it sees the error.
    this.#running.catch(() => undefined);
  }

  /** Resolves when nothing is in flight any more. */
  async end(): Promise<void> {
    for (const one of this.#runners) one.stop();
    await this.#running;
  }

  /** Forbidden answers, once nothing can be carried out any more. */
  async judge(): Promise<readonly string[]> {
    this.#messages.settle();
    for (const partition of this.#partitions) await this.#ask(this.#rows, 'table', partitionPage(partition));
    for (const container of this.#containers) await this.#ask(this.#blobs, 'blob', blobRead(container));
    await sleep(HIDDEN_MILLISECONDS_MAX);
    await this.#takeAll();
    return allFaults([
      () => [...this.#rows.faults, ...this.#blobs.faults],
      () => this.#messages.judge(),
      () => rowFaults(this.#rows.history, TABLE),
      () => faultTexts('blob', blobFaults(this.#blobs.history)),
    ]);
  }

  #hands<Call, Answer>(
    count: number,
    service: Service,
    ledger: HandOptions<Call, Answer>['ledger'],
    turn: HandOptions<Call, Answer>['turn'],
  ): readonly Runner[] {
    const port = (): number => this.#options.frontEnds.portOf(service);
    const options = {
      port,
      ledger,
      turn,
      watch: NOBODY,
      answersAConnection: ANSWERS_A_CONNECTION,
      restMilliseconds: REST_MILLISECONDS,
    };
    return Array.from({ length: count }, () => new Hand(options));
  }

  /** Measures how long each answer takes. */
  #paced<Call, Answer extends Coded>(ledger: AnyLedger<Call, Answer>): HandOptions<Call, Answer>['ledger'] {
    const ask: HandOptions<Call, Answer>['ledger']['ask'] = async (sender, call) => {
      const end = this.#options.pace.begin();
      const answer = await ledger.ask(sender, call);
      const isWrite = answer?.code === undefined && ledger.wire.isWrite(call);
      end(answer === undefined ? 'unclear' : isWrite ? 'write' : 'read');
      return answer;
    };
    return { faults: ledger.faults, ask };
  }

  /** Until an answer has room for more: what it does not show cannot be visible. */
  async #takeAll(): Promise<void> {
    const get = { kind: 'get', queue: this.#queue, count: TAKEN_AT_ONCE, seconds: 600 } as const;
    for (;;) {
      const { messages } = await this.#ask(this.#messages, 'queue', get);
      if (messages.length < TAKEN_AT_ONCE) return;
    }
  }

  async #ask<Call, Answer extends Coded>(
    ledger: AnyLedger<Call, Answer>,
    service: Service,
    call: Call,
  ): Promise<Answer> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const connection = new Connection(this.#options.frontEnds.portOf(service));
      const answer = await ledger.ask(connection, call);
      connection.close();
      if (answer !== undefined) return answer;
      if (service === 'queue') ledger.settle();
      await sleep(PAUSE_MS);
    }
    throw new Error('A cluster with all its nodes gave no answer.');
  }
}
