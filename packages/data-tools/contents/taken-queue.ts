// All messages of a queue, which can be read only by taking them: they are hidden, read, and returned. Each step is
// reported before or after it, for a journal, so that a killed run can be resumed.
//
// A Get hides messages until all should be taken. If some become visible before, they are taken again, and from then on
// for twice as long. Those that a killed run had taken and not recorded become visible again, and a resumed run
// waits for them. A kill loses no message: it is returned only when it is in the journal.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  giveBack,
  HIDDEN_SECONDS_MAX,
  messageCount,
  type TakenMessage,
  takeMessages,
} from '../queues/queue-account.js';
import type { ToolContext } from '../run/context.js';
import { inParallel } from '../run/in-parallel.js';
import type { Endpoint } from '../source/endpoint.js';

/** A journal entry about the messages of one queue. */
export type TakeStep =
  /** From now on some are hidden, for this long. */
  | { readonly step: 'begun'; readonly seconds: number }
  | { readonly step: 'taken'; readonly messages: readonly TakenMessage[] }
  /** All of them are taken. */
  | { readonly step: 'drained' }
  | { readonly step: 'back'; readonly id: string }
  | { readonly step: 'returned' };

/** How long a Get hides messages at least. */
const TAKEN_SECONDS = 15;
/** A slow account's: 16 Gets of 32 messages. */
const MESSAGES_A_SECOND = 500;
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
  /** How long a Get hides messages at least; default 15. */
  readonly takenSeconds?: number;
}

export class TakenQueue {
  readonly #options: TakenQueueOptions;
  readonly #leastSeconds: number;
  /** The longest that a Get hides messages. */
  #seconds: number;
  /** Until then they are hidden: when all should be taken. */
  #hiddenUntil = 0;
  /** By their ids, with the newest receipt. */
  readonly #taken = new Map<string, TakenMessage>();
  readonly #back = new Set<string>();
  #state: 'new' | 'begun' | 'drained' | 'returned' = 'new';

  constructor(options: TakenQueueOptions) {
    this.#options = options;
    this.#seconds = this.#leastSeconds = options.takenSeconds ?? TAKEN_SECONDS;
    for (const step of options.earlier) this.#see(step);
  }

  /** In the order of arrival. */
  get messages(): readonly TakenMessage[] {
    return [...this.#taken.values()];
  }

  #see(step: TakeStep): void {
    if (step.step === 'taken') for (const message of step.messages) this.#taken.set(message.id, message);
    else if (step.step === 'back') this.#back.add(step.id);
    else this.#state = step.step;
    if (step.step === 'begun') this.#seconds = step.seconds;
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
    let waitUntil = 0;
    const wait = (why: string): void => {
      const longest = this.#seconds + LATE_SECONDS;
      if (waitUntil < this.#now())
        this.#note(
          `${why} may have hidden messages of queue ${queue}: waits ${longest} s until all are visible.`,
        );
      waitUntil = this.#now() + longest;
    };
    if (goesOn) {
      wait('The run before this one');
      this.#hiddenUntil = this.#now() + this.#seconds;
    } else this.#hideFor((await messageCount(endpoint, queue)) / MESSAGES_A_SECOND);
    for (;;) {
      source.signal?.throwIfAborted();
      const left = Math.max(this.#leastSeconds, Math.ceil(this.#hiddenUntil - this.#now()));
      const { messages, isRepeated } = await takeMessages(endpoint, queue, left);
      if (isRepeated) wait('A request whose answer was lost');
      if (messages.length > 0) {
        const isLate = this.#now() > this.#hiddenUntil && messages.some(({ id }) => this.#taken.has(id));
        this.#do({ step: 'taken', messages });
        reporter.rows(0);
        if (isLate) this.#hideFor(2 * this.#seconds);
      } else if (this.#now() >= waitUntil) break;
      else await sleep(POLL_MILLISECONDS, undefined, { signal: source.signal });
    }
    this.#do({ step: 'drained' });
  }

  #hideFor(wanted: number): void {
    const seconds = Math.min(HIDDEN_SECONDS_MAX, Math.max(this.#seconds, Math.ceil(wanted)));
    this.#do({ step: 'begun', seconds });
    this.#hiddenUntil = this.#now() + seconds;
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
