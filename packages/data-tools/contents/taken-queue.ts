// All messages of a queue, which can be read only by taking them: they are hidden, read, and returned. Each step is
// reported before or after it, for a journal, so that a killed run can be resumed.
//
// A Get hides messages for a short while: those that a killed run had taken and not recorded are visible again soon,
// and a resumed run waits for them. Recorded messages that would become visible before all are taken are hidden again,
// each time for longer (`#holdDue`). A kill loses no message: it is returned only when it is in the journal, and one
// whose newest receipt was lost becomes visible again on its own.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  giveBack,
  HIDDEN_SECONDS_MAX,
  hold,
  messageCount,
  type TakenMessage,
  takeMessages,
} from '../queues/queue-account.js';
import type { ToolContext } from '../run/context.js';
import { inParallel } from '../run/in-parallel.js';
import type { Endpoint } from '../source/endpoint.js';

/** A journal entry about the messages of one queue. */
export type TakeStep =
  /** From now on some are hidden. */
  | { readonly step: 'begun' }
  | { readonly step: 'taken'; readonly messages: readonly TakenMessage[] }
  /** Hidden for longer, with another receipt. */
  | { readonly step: 'held'; readonly id: string; readonly receipt: string }
  /** All of them are taken. */
  | { readonly step: 'drained' }
  | { readonly step: 'back'; readonly id: string }
  | { readonly step: 'returned' };

/** How long a Get hides messages. */
const TAKEN_SECONDS = 15;
/** Maximum of concurrent extensions: messages must be extended while they are hidden. */
const HELD_AT_ONCE = 512;
const HOLD_SECONDS_MIN = 60;
/** How late a request of a killed run may still arrive. */
const LATE_SECONDS = 5;
const POLL_MILLISECONDS = 1000;

interface TakenQueueOptions {
  readonly endpoint: Endpoint;
  readonly queue: string;
  /** The steps of an earlier run. */
  readonly earlier: readonly TakeStep[];
  readonly onStep: (step: TakeStep) => void;
  readonly context: ToolContext;
  /** How long a Get hides messages; default 15. */
  readonly takenSeconds?: number;
}

/** Messages that are hidden until the same time. */
interface Hidden {
  readonly ids: string[];
  readonly seconds: number;
  readonly until: number;
}

export class TakenQueue {
  readonly #options: TakenQueueOptions;
  readonly #takenSeconds: number;
  /** By their ids. */
  readonly #taken = new Map<string, TakenMessage>();
  readonly #back = new Set<string>();
  #hidden: Hidden[] = [];
  #state: 'new' | 'begun' | 'drained' | 'returned' = 'new';

  constructor(options: TakenQueueOptions) {
    this.#options = options;
    this.#takenSeconds = options.takenSeconds ?? TAKEN_SECONDS;
    for (const step of options.earlier) this.#see(step);
  }

  /** In the order of arrival. */
  get messages(): readonly TakenMessage[] {
    return [...this.#taken.values()];
  }

  #see(step: TakeStep): void {
    if (step.step === 'taken') for (const message of step.messages) this.#taken.set(message.id, message);
    else if (step.step === 'held') this.#renew(step.id, step.receipt);
    else if (step.step === 'back') this.#back.add(step.id);
    else this.#state = step.step;
  }

  #renew(id: string, receipt: string): void {
    const message = this.#taken.get(id);
    if (message !== undefined) this.#taken.set(id, { ...message, receipt });
  }

  #do(step: TakeStep): void {
    this.#options.onStep(step);
    this.#see(step);
  }

  #now(): number {
    return performance.now() / 1000;
  }

  /** Takes all, returns all and reports it; does not repeat what an earlier run has done. @throws ToolError */
  async take(): Promise<void> {
    if (this.#state === 'new' || this.#state === 'begun') await this.#takeAll(this.#state === 'begun');
    if (this.#state === 'drained') await this.#giveBack();
  }

  async #takeAll(goesOn: boolean): Promise<void> {
    const { endpoint, queue, context } = this.#options;
    const { source, reporter } = context;
    const [seconds, begun] = [this.#takenSeconds, this.#now()];
    let waitUntil = 0;
    const wait = (why: string): void => {
      const longest = seconds + LATE_SECONDS;
      waitUntil = this.#now() + longest;
      this.#note(
        `${why} may have hidden messages of queue ${queue}: waits ${longest} s until all are visible.`,
      );
    };
    if (goesOn) wait('The run before this one');
    else this.#do({ step: 'begun' });
    for (;;) {
      source.signal?.throwIfAborted();
      const askedAt = this.#now();
      const { messages, isRepeated } = await takeMessages(endpoint, queue, seconds);
      if (isRepeated && waitUntil < this.#now()) wait('A request whose answer was lost');
      else if (isRepeated) waitUntil = this.#now() + seconds + LATE_SECONDS;
      if (messages.length > 0) {
        this.#do({ step: 'taken', messages });
        this.#hide(messages, askedAt + seconds);
        reporter.rows(0);
      } else if (this.#now() >= waitUntil) break;
      else await sleep(POLL_MILLISECONDS, undefined, { signal: source.signal });
      await this.#holdDue(begun);
    }
    this.#do({ step: 'drained' });
  }

  #hide(messages: readonly TakenMessage[], until: number): void {
    const ids = messages.map(({ id }) => id);
    const last = this.#hidden.at(-1);
    const takesMore = last?.seconds === this.#takenSeconds && last.ids.length < HELD_AT_ONCE;
    if (takesMore) last.ids.push(...ids);
    else this.#hidden.push({ ids, seconds: this.#takenSeconds, until });
  }

  /**
   * Extends messages that have been hidden for half their time, or that have become too many to extend in the other
   * half: to twice the time taken so far, so that each is extended only a few times.
   */
  async #holdDue(begun: number): Promise<void> {
    const { endpoint, queue, context } = this.#options;
    const isDue = ({ ids, seconds, until }: Hidden): boolean =>
      this.#now() > until - seconds / 2 || (seconds === this.#takenSeconds && ids.length >= HELD_AT_ONCE);
    const due = this.#hidden.filter(isDue);
    if (due.length === 0) return;
    this.#hidden = this.#hidden.filter(each => !due.includes(each));
    for (const { ids } of due) {
      const now = this.#now();
      const seconds = Math.min(HIDDEN_SECONDS_MAX, Math.max(HOLD_SECONDS_MIN, Math.ceil(2 * (now - begun))));
      const held: string[] = [];
      await inParallel(ids, context.parallel, async id => {
        const message = this.#taken.get(id);
        const receipt = message && (await hold(endpoint, queue, message, seconds));
        // Another client has it, or it has expired.
        if (receipt === undefined) return;
        this.#do({ step: 'held', id, receipt });
        held.push(id);
      });
      if (held.length > 0) this.#hidden.push({ ids: held, seconds, until: now + seconds });
    }
  }

  async #giveBack(): Promise<void> {
    const { endpoint, queue, context } = this.#options;
    const taken = this.messages;
    const count = await messageCount(endpoint, queue);
    const open = taken.filter(({ id }) => !this.#back.has(id));
    await inParallel(open, context.parallel, async message => {
      if (await giveBack(endpoint, queue, message)) this.#do({ step: 'back', id: message.id });
    });
    const back = this.#back.size;
    if (taken.length > 0)
      this.#note(
        `${taken.length} messages of queue ${queue} were taken, and hidden for that; ${back} are given back, and count as dequeued once more.${
          back === taken.length
            ? ''
            : ' The others were taken by others meanwhile, have expired, or are visible again by themselves.'
        }`,
      );
    if (count > taken.length)
      this.#note(
        `About ${count - taken.length} messages of queue ${queue} are hidden by others, and left out.`,
      );
    this.#do({ step: 'returned' });
  }

  /** Reports how many messages are left out. @throws ToolError */
  async leave(): Promise<void> {
    const count = await messageCount(this.#options.endpoint, this.#options.queue);
    if (count > 0)
      this.#note(
        `Queue ${this.#options.queue} has about ${count} messages, which are left out: --take-messages takes them, and hides them while it does.`,
      );
  }

  #note(message: string): void {
    this.#options.context.reporter.tell('note', { queue: this.#options.queue, message });
  }
}
