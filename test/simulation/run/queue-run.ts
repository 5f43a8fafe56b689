// The part of a run that is made of calls on queues: sends them, and records their answers with the range of times of each.
// At the end it empties the queues. test/queues/judge.ts judges the history.

import { Breach } from '../../histories/history.js';
import { readQueueAnswer } from '../../queues/answer.js';
import type { QueueCall, QueueHappening } from '../../queues/call.js';
import { queueFaults } from '../../queues/judge.js';
import { QueueCaller } from '../../queues/queue-caller.js';
import { queueRequest } from '../../queues/request.js';
import type { PlainAnswer } from '../judge/answer.js';
import type { QueueAction } from '../plan/step.js';
import type { SimulatedClock } from './clock.js';
import { accountSas } from './signing.js';
import type { Subject } from './subject.js';

const ACCOUNT_PATH = '/devstoreaccount1/';
/** Ticks rise on their own while the clock stands: more than a whole run takes. */
const SLACK_TICKS = 10_000n;
/** Longer than anything is hidden, except after jumps. */
const HIDDEN_SECONDS_MAX = 700;
const TAKEN_SECONDS = 100_000;
const TAKEN_AT_ONCE = 32;
/** How often the final emptying is retried if the store is busy. */
const TRIES_MAX = 50;

/** The shared state of the whole run. */
export interface Surroundings {
  readonly subject: Subject;
  readonly clock: SimulatedClock;
  readonly queues: readonly string[];
  tick(): number;
  /** Whether a call that began then may have no answer. */
  mayBeLost(invoked: number): boolean;
}

export class QueueRun {
  readonly history: QueueHappening[] = [];
  readonly #run: Surroundings;
  readonly #caller = new QueueCaller();
  #underWay = new Set<QueueHappening>();

  constructor(run: Surroundings) {
    this.#run = run;
  }

  /** Resolves when its answer has arrived. */
  begin(action: QueueAction, step: number): Promise<void> {
    if (action.kind === 'sweep') return this.#run.subject.sweep();
    if (action.kind === 'pass') {
      this.#run.clock.pass(action.seconds);
      return Promise.resolve();
    }
    const call = this.#caller.callOf(action);
    return call ? this.#send(call, step) : Promise.resolve();
  }

  /** Call when the clock was set back. */
  clockJumped(): void {
    for (const happening of this.#underWay) happening.span = this.#reach(happening);
  }

  /** Calls in progress get no answer. */
  crash(): void {
    for (const happening of this.#underWay) this.#end(happening);
    this.#underWay = new Set();
  }

  /** Once the clock is past every time at which anything may be hidden, everything that is left must become visible. */
  async takeEverything(step: number): Promise<void> {
    const { clock, queues } = this.#run;
    const behind = Number((clock.highest - clock.now) / 10_000_000n);
    clock.pass(behind + HIDDEN_SECONDS_MAX);
    for (const queue of queues) {
      for (let tries = 0; tries < TRIES_MAX; tries += 1) {
        const [count, seconds] = [TAKEN_AT_ONCE, TAKEN_SECONDS];
        await this.#send({ kind: 'get', queue, count, seconds }, step);
        const answer = this.history.at(-1)?.answer;
        if (answer && answer.messages.length < count) break;
      }
    }
  }

  /** Once everything is taken. @throws Breach for forbidden answers, and for rows that no answer shows. */
  async judge(): Promise<void> {
    const [fault] = queueFaults(this.history);
    if (fault) throw new Breach(fault.step, fault.message);
    const [row] = await this.#run.subject.faultsOfRows();
    if (row !== undefined) throw new Breach(this.history.at(-1)?.step ?? 0, row);
  }

  #reach({ span }: QueueHappening): QueueHappening['span'] {
    const { now, highest } = this.#run.clock;
    return { low: now < span.low ? now : span.low, high: highest + SLACK_TICKS };
  }

  #end(happening: QueueHappening): void {
    happening.answered = this.#run.tick();
    happening.span = this.#reach(happening);
    this.#underWay.delete(happening);
  }

  async #send(call: QueueCall, step: number): Promise<void> {
    const { subject, clock } = this.#run;
    const { method, path, body } = queueRequest(call);
    const happening: QueueHappening = {
      step,
      invoked: this.#run.tick(),
      answered: Number.POSITIVE_INFINITY,
      span: { low: clock.now, high: clock.highest },
      call,
      answer: undefined,
    };
    this.history.push(happening);
    this.#underWay.add(happening);
    const signed = `${ACCOUNT_PATH}${path}${path.includes('?') ? '&' : '?'}${accountSas('q')}`;
    const headers = { 'x-ms-version': '2019-02-02' };
    let plain: PlainAnswer | undefined;
    let failure: unknown;
    try {
      plain = await subject.sendToQueue({ method, path: signed, headers, body });
    } catch (error) {
      failure = error;
    }
    if (!this.#underWay.has(happening)) return;
    this.#end(happening);
    if (plain) this.#hear(happening, plain);
    else if (!this.#run.mayBeLost(happening.invoked))
      throw new Breach(step, `The connection failed: ${failure}`);
  }

  #hear(happening: QueueHappening, { status, headers, body }: PlainAnswer): void {
    const { call, step, invoked } = happening;
    try {
      const answer = readQueueAnswer(call, { status, header: name => headers.get(name), body });
      if (answer.code === 'ServerBusy') {
        if (!this.#run.mayBeLost(invoked))
          throw new Error('The server is busy although nothing was done to it.');
      } else {
        happening.answer = answer;
        this.#caller.learn(call, answer);
      }
    } catch (error) {
      const ours = this.#run.subject
        .faultsOfOurs()
        .map(each => (each instanceof Error ? `\n${each.stack}` : `\n${each}`));
      const what = error instanceof Error ? error.message : String(error);
      throw new Breach(step, `${what}\nThe answer to ${call.kind}: ${status} ${body}${ours.join('')}`);
    }
  }
}
