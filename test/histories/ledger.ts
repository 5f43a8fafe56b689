// The ledger of one service: all calls that clients sent over sockets, with their answers and times. What the calls and
// answers are is the wire's matter, and whether they may be is the judge's.
import type { Reply, Sender } from '../support/worker-processes.js';
import { textOf } from './explain.js';
import type { Happening } from './history.js';
import type { Journal } from './journal.js';
import { NOBODY, type Watch } from './trigger.js';

const TICKS_PER_MILLISECOND = 10_000n;
/** The system's clock in steps of a millisecond, and ticks that rise within one. */
const SLACK_MILLISECONDS = 10;
/** Statuses of a server that cannot serve the request. */
const FAILED = 500;
/** A fault of the program, which no failure around it excuses. */
const INTERNAL = 500;
/** Of a batch. */
const FAILED_PART = /^HTTP\/1\.1 5\d\d /m;
const SHOWN_MAX = 60;
const LINE_MAX = 4000;

/** From the one tick to the other, both included. */
export interface Span {
  readonly low: bigint;
  readonly high: bigint;
}

/** An answer with the code of a refusal. */
export interface Coded {
  readonly code: string | undefined;
}

/** A call over a socket. */
export interface Sent<Call, Answer> extends Happening<Call, Answer> {
  /** Contains every tick at which the call arrived, and every time that it was compared with. */
  span: Span;
}

/** The calls of a service as requests. */
export interface Wire<Call, Answer, H extends Sent<Call, Answer>> {
  readonly name: string;
  /** More members of this service's happenings. */
  readonly more: Omit<H, keyof Sent<Call, Answer>>;
  isWrite(call: Call): boolean;
  send(sender: Sender, call: Call): Promise<Reply>;
  /** @throws Error for an answer that cannot be one to this call. */
  read(call: Call, reply: Reply): Answer;
  /** For debugging a failure. */
  show(call: Call): string;
}

export interface LedgerOptions {
  /** A call that got no answer, or that the server fails with, may be carried out until `settle`. */
  readonly mayBeUnclear?: boolean;
  /** A single process loses answers only when it ends. */
  readonly isOfOne?: boolean;
}

const isRefusedConnection = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';

const isBroken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ECONNRESET';

const now = (milliseconds = 0): bigint => BigInt(Date.now() + milliseconds) * TICKS_PER_MILLISECOND;
const until = ({ low }: Span): Span => ({ low, high: now(SLACK_MILLISECONDS) });

export class Ledger<Call, Answer extends Coded, H extends Sent<Call, Answer>> {
  /** Answers that no client should get. */
  readonly faults: string[] = [];
  history: H[] = [];
  /** Why the last lost answer is lost. */
  lastLoss: unknown;
  readonly wire: Wire<Call, Answer, H>;
  readonly #journal: Journal;
  readonly #options: LedgerOptions;
  #steps = 0;
  #brokenOff: { readonly what: string; readonly at: number } | undefined;

  constructor(wire: Wire<Call, Answer, H>, journal: Journal, options: LedgerOptions = {}) {
    this.wire = wire;
    this.#journal = journal;
    this.#options = options;
  }

  /** Pending requests can no longer be carried out, and another process may answer. */
  settle(): void {
    const now = this.#journal.note('settled');
    this.#brokenOff = undefined;
    for (const happening of this.history)
      if (happening.answered === Number.POSITIVE_INFINITY) {
        happening.answered = now;
        happening.span = until(happening.span);
      }
  }

  /** Undefined if the answer was lost. */
  async ask(sender: Sender, call: Call, watch: Watch = NOBODY): Promise<Answer | undefined> {
    this.#steps += 1;
    const what = `${this.wire.name} ${this.#steps} ${this.wire.show(call)}`;
    const happening = {
      ...this.wire.more,
      step: this.#steps,
      invoked: this.#journal.note(`? ${what}`),
      answered: Number.POSITIVE_INFINITY,
      span: { low: now(), high: now() },
      call,
      answer: undefined,
    } as Sent<Call, Answer> as H;
    this.history.push(happening);
    const asking = this.wire.send(sender, call);
    watch.asked();
    let reply: Reply;
    try {
      reply = await asking;
    } catch (error) {
      this.#lose(happening, what, error);
      return undefined;
    }
    this.#hear(happening, what, reply);
    const { answer } = happening;
    if (answer !== undefined && answer.code === undefined && this.wire.isWrite(call)) watch.answered();
    return answer;
  }

  protected learn(_call: Call, _answer: Answer): void {}

  #lose(happening: H, what: string, error: unknown): void {
    const end = this.#journal.note(`- ${what} ${error}`);
    this.lastLoss = error;
    if (!this.#options.mayBeUnclear) happening.answered = end;
    happening.span = until(happening.span);
    if (isBroken(error)) this.#brokenOff ??= { what, at: end };
    // No server has received it.
    if (isRefusedConnection(error)) this.history = this.history.filter(other => other !== happening);
  }

  #hear(happening: H, what: string, reply: Reply): void {
    const { call, span } = happening;
    happening.span = until(span);
    if (this.#options.isOfOne && this.#brokenOff !== undefined && happening.invoked > this.#brokenOff.at)
      this.faults.push(`An answer broke off, and the server lives: ${this.#brokenOff.what}`);
    if (reply.status === INTERNAL) this.faults.push(`${what}: ${reply.status} ${reply.body}`);
    if (this.#options.mayBeUnclear && (reply.status >= FAILED || FAILED_PART.test(reply.body))) {
      this.#journal.note(`- ${what}: ${reply.status} ${reply.body}`);
      return;
    }
    let answer: Answer;
    try {
      answer = this.wire.read(call, reply);
      if (answer.code === 'ServerBusy') throw new Error('The server is busy.');
      this.learn(call, answer);
    } catch (error) {
      happening.answered = this.#journal.note(`! ${what}: ${error}`);
      this.faults.push(`${what}: ${error}, ${reply.status} ${reply.body.slice(0, 1000)}`);
      return;
    }
    happening.answered = this.#journal.note(`! ${what}: ${textOf(answer, SHOWN_MAX).slice(0, LINE_MAX)}`);
    happening.answer = answer;
  }
}
