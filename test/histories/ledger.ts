// The ledger of one service: all calls that clients sent, with their answers and times. What the calls and answers are is
// the wire's matter, and whether they may be is the judge's.
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

/** A call of a client. */
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
  /** Whether it is refused for its form alone, however busy the server is. */
  isMalformed?(call: Call): boolean;
  send(sender: Sender, call: Call, more?: Omit<H, keyof Sent<Call, Answer>>): Promise<Reply>;
  /** @throws Error for an answer that cannot be one to this call. */
  read(call: Call, reply: Reply, more?: Omit<H, keyof Sent<Call, Answer>>): Answer;
  /** For debugging a failure. */
  show(call: Call): string;
}

export interface LedgerOptions {
  /** A call that got no answer, or that the server fails with, may be carried out until `settle`. */
  readonly mayBeUnclear?: boolean;
  /** A single process loses answers only when it ends. */
  readonly isOfOne?: boolean;
  /** Whether a call that began then may get no answer, or be refused as too much; default: may be lost, and not refused. */
  readonly isExcused?: (invoked: number) => boolean;
  /** Default: the system's. */
  readonly time?: Time;
}

/** For the spans of calls. */
export interface Time {
  begin(): Span;
  /** What has begun then and lasts until now. */
  reach(span: Span): Span;
}

/** What a call has of its own. */
interface Own<More> {
  /** Default: a number that counts up. */
  readonly step?: number;
  readonly more?: More;
}

const isRefusedConnection = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';

const isBroken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ECONNRESET';

const now = (milliseconds = 0): bigint => BigInt(Date.now() + milliseconds) * TICKS_PER_MILLISECOND;
const SYSTEM_TIME: Time = {
  begin: () => ({ low: now(), high: now() }),
  reach: ({ low }) => ({ low, high: now(SLACK_MILLISECONDS) }),
};

export class Ledger<Call, Answer extends Coded, H extends Sent<Call, Answer>> {
  /** Answers that no client should get. */
  readonly faults: string[] = [];
  history: H[] = [];
  /** Why the last lost answer is lost. */
  lastLoss: unknown;
  readonly wire: Wire<Call, Answer, H>;
  readonly #journal: Pick<Journal, 'note'>;
  readonly #options: LedgerOptions;
  readonly #time: Time;
  #steps = 0;
  #brokenOff: { readonly what: string; readonly at: number } | undefined;

  constructor(wire: Wire<Call, Answer, H>, journal: Pick<Journal, 'note'>, options: LedgerOptions = {}) {
    this.wire = wire;
    this.#journal = journal;
    this.#options = options;
    this.#time = options.time ?? SYSTEM_TIME;
  }

  /** Pending requests can no longer be carried out, and another process may answer. */
  settle(): void {
    const now = this.#journal.note('settled');
    this.#brokenOff = undefined;
    for (const happening of this.history)
      if (happening.answered === Number.POSITIVE_INFINITY) {
        happening.answered = now;
        happening.span = this.#time.reach(happening.span);
      }
  }

  /** Undefined if the answer was lost. */
  async ask(
    sender: Sender,
    call: Call,
    watch: Watch = NOBODY,
    { step, more = this.wire.more }: Own<Omit<H, keyof Sent<Call, Answer>>> = {},
  ): Promise<Answer | undefined> {
    this.#steps += 1;
    const what = `${this.wire.name} ${step ?? this.#steps} ${this.wire.show(call)}`;
    const happening = {
      ...more,
      step: step ?? this.#steps,
      invoked: this.#journal.note(`? ${what}`),
      answered: Number.POSITIVE_INFINITY,
      span: this.#time.begin(),
      call,
      answer: undefined,
    } as Sent<Call, Answer> as H;
    this.history.push(happening);
    const asking = this.wire.send(sender, call, more);
    watch.asked();
    let reply: Reply | undefined;
    let loss: unknown;
    try {
      reply = await asking;
    } catch (error) {
      loss = error;
    }
    // It was settled without an answer.
    if (happening.answered < Number.POSITIVE_INFINITY) return undefined;
    happening.span = this.#time.reach(happening.span);
    if (reply === undefined) this.#lose(happening, what, loss);
    else this.#hear(happening, what, reply);
    const { answer } = happening;
    if (answer !== undefined && answer.code === undefined && this.wire.isWrite(call)) watch.answered();
    return answer;
  }

  protected learn(_call: Call, _answer: Answer): void {}

  #lose(happening: H, what: string, error: unknown): void {
    const end = this.#journal.note(`- ${what} ${error}`);
    this.lastLoss = error;
    if (!this.#options.mayBeUnclear) happening.answered = end;
    if (this.#options.isExcused?.(happening.invoked) === false)
      this.faults.push(`${what}: the connection failed: ${error}`);
    if (isBroken(error)) this.#brokenOff ??= { what, at: end };
    // No server has received it.
    if (isRefusedConnection(error)) this.history = this.history.filter(other => other !== happening);
  }

  #hear(happening: H, what: string, reply: Reply): void {
    const { call, invoked } = happening;
    if (this.#options.isOfOne && this.#brokenOff !== undefined && invoked > this.#brokenOff.at)
      this.faults.push(`An answer broke off, and the server lives: ${this.#brokenOff.what}`);
    if (reply.status === INTERNAL) this.faults.push(`${what}: ${reply.status} ${reply.body}`);
    if (this.#options.mayBeUnclear && (reply.status >= FAILED || FAILED_PART.test(reply.body))) {
      this.#journal.note(`- ${what}: ${reply.status} ${reply.body}`);
      return;
    }
    let answer: Answer;
    try {
      answer = this.wire.read(call, reply, happening);
      if (answer.code === 'ServerBusy') {
        if (!this.#options.isExcused?.(invoked) || this.wire.isMalformed?.(call))
          throw new Error('The server is busy although nothing was done to it.');
        happening.answered = this.#journal.note(`! ${what}: ServerBusy`);
        return;
      }
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
