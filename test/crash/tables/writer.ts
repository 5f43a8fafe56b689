// One connection that writes one step after the other, each once, and records its history. After a lost answer the outcome is unknown
// until the state is read again: the writer leaves these rows and continues with others.
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, type Reply } from '../../support/worker-processes.js';
import type { Image } from '../history.js';
import type { Journal } from '../journal.js';
import { acknowledgedTicks } from './answer.js';
import type { Choice } from './choice.js';
import { type Change, pathOf, textOf, writeRequest } from './request.js';
import type { Slot, Slots } from './slots.js';

/** What is to happen at the next request or at the next answer of any writer. */
export interface Watch {
  asked(): void;
  answered(): void;
}

export interface WriterOptions {
  readonly port: number;
  readonly slots: Slots;
  readonly journal: Journal;
  readonly watch: Watch;
}

const RECONNECT_MILLISECONDS = 5;

export class Writer {
  /** Answers that no client should get. */
  readonly faults: string[] = [];
  readonly #options: WriterOptions;
  #connection: Connection;
  #isOver = false;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#connection = new Connection(options.port);
  }

  stop(): void {
    this.#isOver = true;
  }

  async run(): Promise<void> {
    while (!this.#isOver && this.faults.length === 0) await this.#live(this.#options.slots.take());
    this.#connection.close();
  }

  /** Writes every row of the slot; gives the least tick. Fails if it is not acknowledged. */
  async rewrite(slot: Slot): Promise<bigint> {
    const changes = slot.chooser.rewriteAll();
    if (!(await this.#step(slot, { changes, isStale: false })))
      throw new Error('A server that lives gave no answer.');
    this.#connection.close();
    const state = slot.history.state();
    return changes.map(({ name }) => state.get(pathOf(name))?.tick ?? 0n).reduce((a, b) => (a < b ? a : b));
  }

  async #live(slot: Slot): Promise<void> {
    while (!this.#isOver && this.faults.length === 0) {
      const before = slot.history.stepCount;
      if (await this.#step(slot, slot.chooser.choose(slot.history.state()))) continue;
      this.#connection.close();
      this.#connection = new Connection(this.#options.port);
      await sleep(RECONNECT_MILLISECONDS);
      if (slot.history.stepCount > before) return;
    }
  }

  /** False if the answer was lost. */
  async #step(slot: Slot, { changes, isStale }: Choice): Promise<boolean> {
    const { journal, watch } = this.#options;
    const { history } = slot;
    const what = `${history.owner} ${changes.map(shown).join(', ')}`;
    history.ask(effectOf(changes), journal.note(`? ${what}`));
    const asked = this.#connection.request(writeRequest(changes));
    watch.asked();
    const reply = await asked.catch((error: unknown) => error);
    if (!isReply(reply)) {
      journal.note(`- ${what} ${reply}`);
      // A refused connection delivered nothing.
      if (isRefusedConnection(reply)) history.forget();
      return false;
    }
    const ticks = acknowledgedTicks(changes, reply);
    const position = journal.note(`! ${what} ${typeof ticks === 'string' ? ticks : [...ticks.values()]}`);
    if (isStale && reply.status === 412) history.forget();
    else if (typeof ticks === 'string' || isStale) this.faults.push(`${what} was answered ${ticks}`);
    else history.acknowledge(ticks, position);
    watch.answered();
    return true;
  }
}

const isReply = (reply: unknown): reply is Reply =>
  typeof reply === 'object' && reply !== null && 'status' in reply;

const isRefusedConnection = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';

function effectOf(changes: readonly Change[]): Map<string, Image | undefined> {
  return new Map(
    changes.map(({ name, after }) => [pathOf(name), after && { text: textOf(after), tick: undefined }]),
  );
}

const shown = ({ method, name, ifMatch, properties }: Change): string =>
  `${method} ${pathOf(name)}${ifMatch === undefined ? '' : ` if ${ifMatch}`} n=${properties.n}`;
