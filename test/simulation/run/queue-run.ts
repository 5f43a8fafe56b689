// The part of a run that is made of calls on queues: sends them, and records their answers with the range of times of each.
// At the end it empties the queues. test/queues/judge.ts judges the history.
import { readQueueAnswer } from '../../queues/answer.js';
import type { QueueAnswer, QueueCall, QueueHappening, Receipt } from '../../queues/call.js';
import { queueFaults } from '../../queues/judge.js';
import { queueRequest } from '../../queues/request.js';
import type { PlainAnswer } from '../judge/answer.js';
import { Breach } from '../judge/history.js';
import type { QueueAction } from '../plan/step.js';
import type { SimulatedClock } from './clock.js';
import { accountSas } from './signing.js';
import type { Subject } from './subject.js';

const ACCOUNT_PATH = '/devstoreaccount1/';
/** Ticks advance on their own while the clock stands; no run uses this many. */
const SLACK_TICKS = 10_000n;
/** Most receipts among this many of the last ones are valid. */
const FRESH_RECEIPTS = 4;
/** Longer than anything is hidden, but for jumps. */
const HIDDEN_SECONDS_MAX = 700;
const TAKEN_SECONDS = 100_000;
const TAKEN_AT_ONCE = 32;
/** How often the last taking out is tried again where the store is busy. */
const TRIES_MAX = 50;

/** What the whole run knows. */
export interface Surroundings {
  readonly subject: Subject;
  readonly clock: SimulatedClock;
  readonly queues: readonly string[];
  tick(): number;
  /** Whether a call that began then may lack an answer. */
  mayBeLost(invoked: number): boolean;
}

export class QueueRun {
  readonly history: QueueHappening[] = [];
  readonly #run: Surroundings;
  readonly #receipts: Receipt[] = [];
  #underWay = new Set<QueueHappening>();

  constructor(run: Surroundings) {
    this.#run = run;
  }

  /** Resolves when its answer has come. */
  begin(action: QueueAction, step: number): Promise<void> {
    if (action.kind === 'sweep') return this.#run.subject.sweep();
    if (action.kind === 'pass') {
      this.#run.clock.pass(action.seconds);
      return Promise.resolve();
    }
    const call = this.#callOf(action, step);
    return call ? this.#send(call, step) : Promise.resolve();
  }

  /** To be called when the clock was set back. */
  clockJumped(): void {
    for (const happening of this.#underWay) happening.span = this.#reach(happening);
  }

  /** What is under way gets no answer. */
  crash(): void {
    for (const happening of this.#underWay) this.#end(happening);
    this.#underWay = new Set();
  }

  /** Once the clock is past every time at which anything may be hidden, all that is left must come out. */
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

  /** @throws Breach for what no queue may answer. */
  judge(): void {
    const [fault] = queueFaults(this.history);
    if (fault) throw new Breach(fault.step, fault.message);
  }

  /** Stale receipts are of any age; the others are among the last that were received. */
  #receipt({ pick, isStale }: { pick: number; isStale: boolean }): Receipt | undefined {
    const receipts = isStale ? this.#receipts : this.#receipts.slice(-FRESH_RECEIPTS);
    return receipts[pick % receipts.length];
  }

  #callOf(action: Exclude<QueueAction, { kind: 'sweep' | 'pass' }>, step: number): QueueCall | undefined {
    const { queue } = action;
    switch (action.kind) {
      case 'put':
        return { kind: 'put', queue, text: `m${step} <&> é`, delay: action.delay, life: action.life };
      case 'take':
        return { kind: 'get', queue, count: action.count, seconds: action.seconds };
      case 'delete': {
        const held = this.#receipt(action);
        return held && { kind: 'delete', queue: this.#queueOf(held), ...held };
      }
      case 'update': {
        const held = this.#receipt(action);
        if (!held) return undefined;
        const text = action.hasText ? `${this.#nameOf(held)} changed by ${step}` : undefined;
        return { kind: 'update', queue: this.#queueOf(held), ...held, seconds: action.seconds, text };
      }
      default:
        return action;
    }
  }

  #lastOf({ id }: Receipt): QueueHappening | undefined {
    return this.history.findLast(({ answer }) => answer?.messages.some(shown => shown.id === id));
  }

  #queueOf(held: Receipt): string {
    return this.#lastOf(held)?.call.queue ?? '';
  }

  #nameOf(held: Receipt): string {
    const { call, answer } = this.#lastOf(held) ?? {};
    const text = call?.kind === 'put' ? call.text : answer?.messages.find(({ id }) => id === held.id)?.text;
    return (text ?? '').split(' ', 1)[0] ?? '';
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
      } else this.#learn(happening, answer);
    } catch (error) {
      const ours = this.#run.subject
        .faultsOfOurs()
        .map(each => (each instanceof Error ? `\n${each.stack}` : `\n${each}`));
      const what = error instanceof Error ? error.message : String(error);
      throw new Breach(step, `${what}\nThe answer to ${call.kind}: ${status} ${body}${ours.join('')}`);
    }
  }

  #learn(happening: QueueHappening, answer: QueueAnswer): void {
    happening.answer = answer;
    const { call } = happening;
    for (const { id, receipt } of answer.messages)
      if (receipt !== undefined) this.#receipts.push({ id, receipt });
    if (call.kind === 'update' && answer.receipt !== undefined)
      this.#receipts.push({ id: call.id, receipt: answer.receipt });
  }
}
