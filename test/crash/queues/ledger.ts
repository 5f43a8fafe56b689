// The ledger of the shared queue: all calls over all lives of the server, with their answers and times, and the receipts that
// were returned. test/queues/judge.ts judges them.
import { readQueueAnswer } from '../../queues/answer.js';
import {
  nameIn,
  type QueueAnswer,
  type QueueCall,
  type QueueHappening,
  type Receipt,
  type Span,
} from '../../queues/call.js';
import { type QueueFault, queueFaults } from '../../queues/judge.js';
import { queueRequest } from '../../queues/request.js';
import type { Random } from '../../simulation/plan/random.js';
import { accountSas } from '../../simulation/run/signing.js';
import type { RawRequest } from '../../support/raw-client.js';
import type { Connection, Reply } from '../../support/worker-processes.js';
import type { Journal } from '../journal.js';
import type { Watch } from '../tables/writer.js';

const TICKS_PER_MILLISECOND = 10_000n;
/** The system's clock in steps of a millisecond, and ticks that rise within one. */
const SLACK_MILLISECONDS = 10;
const RECEIPTS_MAX = 500;
/** Statuses of a server that cannot do what it is asked. */
const FAILED = 500;

export const NOBODY: Watch = { asked: () => undefined, answered: () => undefined };

export function rawQueueRequest(call: QueueCall): RawRequest {
  const { method, path, body } = queueRequest(call);
  const target = `/devstoreaccount1/${path}${path.includes('?') ? '&' : '?'}${accountSas('q')}`;
  return { method, target, headers: {}, body, sign: 'none' };
}

export function answerOf(call: QueueCall, { status, headers, body }: Reply): QueueAnswer {
  const header = (name: string) => (headers[name] === undefined ? undefined : String(headers[name]));
  return readQueueAnswer(call, { status, header, body });
}

const isRefusedConnection = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';

const now = (milliseconds = 0): bigint => BigInt(Date.now() + milliseconds) * TICKS_PER_MILLISECOND;
const until = ({ low }: Span): Span => ({ low, high: now(SLACK_MILLISECONDS) });

/** Readable, for failure reports. */
function shown(call: QueueCall): string {
  switch (call.kind) {
    case 'put':
      return `put ${nameIn(call.text)} (${call.text.length}) in ${call.delay} for ${call.life}`;
    case 'get':
      return `get ${call.count} for ${call.seconds}`;
    case 'update':
      return `update ${call.id} ${call.receipt} for ${call.seconds}${call.text === undefined ? '' : ` ${nameIn(call.text)}`}`;
    case 'delete':
      return `delete ${call.id} ${call.receipt}`;
    default:
      return call.kind;
  }
}

const shownAnswer = ({ status, code, messages, receipt }: QueueAnswer): string =>
  [status, code, receipt, ...messages.map(({ id, text }) => `${text ? nameIn(text) : ''} ${id}`)]
    .filter(part => part !== undefined)
    .join(' ');

export class Ledger {
  /** Answers that no client should get. */
  readonly faults: string[] = [];
  readonly #journal: Journal;
  #history: QueueHappening[] = [];
  readonly #held = new Map<string, string>();
  readonly #nameOf = new Map<string, string>();
  readonly #stale: Receipt[] = [];
  readonly #mayBeUnclear: boolean;
  #names = 0;
  #steps = 0;
  /** Messages that were put and not deleted. */
  living = 0;

  /** With `mayBeUnclear` a call that got no answer, or one that the server fails with, may be carried out until `settle`. */
  constructor(journal: Journal, mayBeUnclear = false) {
    this.#journal = journal;
    this.#mayBeUnclear = mayBeUnclear;
  }

  /** Nothing that was asked can be carried out any more. */
  settle(): void {
    const now = this.#journal.note('settled');
    for (const happening of this.#history)
      if (happening.answered === Number.POSITIVE_INFINITY) {
        happening.answered = now;
        happening.span = until(happening.span);
      }
  }

  newName(): string {
    this.#names += 1;
    return `m${this.#names}`;
  }

  /** Of the message with that id; undefined where its answers were lost. */
  nameOf(id: string): string | undefined {
    return this.#nameOf.get(id);
  }

  held(random: Random): Receipt | undefined {
    if (this.#held.size === 0) return undefined;
    const [id, receipt] = random.pick([...this.#held]);
    return { id, receipt };
  }

  stale(random: Random): Receipt | undefined {
    return this.#stale.length === 0 ? undefined : random.pick(this.#stale);
  }

  /** Undefined if the answer was lost. */
  async ask(connection: Connection, call: QueueCall, watch: Watch): Promise<QueueAnswer | undefined> {
    this.#steps += 1;
    const what = `queue ${this.#steps} ${shown(call)}`;
    const happening: QueueHappening = {
      step: this.#steps,
      invoked: this.#journal.note(`? ${what}`),
      answered: Number.POSITIVE_INFINITY,
      span: { low: now(), high: now() },
      call,
      answer: undefined,
    };
    this.#history.push(happening);
    const asking = connection.request(rawQueueRequest(call));
    watch.asked();
    let reply: Reply;
    try {
      reply = await asking;
    } catch (error) {
      const end = this.#journal.note(`- ${what} ${error}`);
      if (!this.#mayBeUnclear) happening.answered = end;
      happening.span = until(happening.span);
      // A refused connection delivered nothing.
      if (isRefusedConnection(error)) this.#history = this.#history.filter(other => other !== happening);
      return undefined;
    }
    this.#hear(happening, what, reply);
    watch.answered();
    return happening.answer;
  }

  /** Wrong answers, in any queue. No calls may be under way. */
  judge(): string[] {
    const faults = queueFaults(this.#history).map(
      ({ step, message }: QueueFault) => `queue ${step}: ${message}`,
    );
    return [...this.faults, ...faults];
  }

  #hear(happening: QueueHappening, what: string, reply: Reply): void {
    const { call, span } = happening;
    happening.span = until(span);
    if (this.#mayBeUnclear && reply.status >= FAILED) {
      this.#journal.note(`- ${what}: ${reply.status}`);
      return;
    }
    try {
      const answer = answerOf(call, reply);
      happening.answered = this.#journal.note(`! ${what}: ${shownAnswer(answer)}`);
      if (answer.code === 'ServerBusy') throw new Error('The server is busy.');
      happening.answer = answer;
      this.#learn(call, answer);
    } catch (error) {
      happening.answered = this.#journal.note(`! ${what}: ${error}`);
      this.faults.push(`${what}: ${error}, ${reply.status} ${reply.body}`);
    }
  }

  #learn(call: QueueCall, { code, messages, receipt }: QueueAnswer): void {
    for (const { id, receipt: told, text } of messages) {
      this.#nameOf.set(id, nameIn(call.kind === 'put' ? call.text : (text ?? '')));
      if (told !== undefined) this.#tell({ id, receipt: told });
    }
    if (call.kind === 'put' && code === undefined) this.living += 1;
    if (call.kind === 'update' && receipt !== undefined) this.#tell({ id: call.id, receipt });
    if (call.kind === 'delete' && code === undefined) this.living -= 1;
    if (call.kind === 'delete' || (call.kind === 'update' && code !== undefined)) this.#lay(call);
  }

  #tell({ id, receipt }: Receipt): void {
    const before = this.#held.get(id);
    if (before !== undefined) this.#lay({ id, receipt: before });
    this.#held.set(id, receipt);
  }

  #lay({ id, receipt }: Receipt): void {
    if (this.#held.get(id) === receipt) this.#held.delete(id);
    this.#stale.push({ id, receipt });
    if (this.#stale.length > RECEIPTS_MAX) this.#stale.shift();
  }
}
