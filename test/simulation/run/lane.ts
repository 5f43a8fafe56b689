// The calls on one service in a run: sends them, and records their answers with the range of times of each.
import { Breach } from '../../histories/history.js';
import type { Coded, Sent } from '../../histories/ledger.js';
import type { PlainAnswer } from '../judge/answer.js';
import type { SimulatedClock } from './clock.js';
import type { PlainRequest } from './request.js';

/** Ticks rise on their own while the clock stands: more than a whole run takes. */
const SLACK_TICKS = 10_000n;

/** The shared state of the whole run. */
export interface Surroundings {
  readonly clock: SimulatedClock;
  tick(): number;
  /** Whether a call that began then may have no answer. */
  mayBeLost(invoked: number): boolean;
  /** Errors that are no refusals, since the last call. */
  faultsOfOurs(): readonly unknown[];
}

interface LaneService<Answer, H> {
  send(request: PlainRequest): Promise<PlainAnswer>;
  /** @throws Error for an answer that cannot be one to this call. */
  read(happening: H, plain: PlainAnswer): Answer;
  learn(happening: H, answer: Answer): void;
  /** Whether it is refused for its form alone, however busy the store is. */
  isMalformed?(happening: H): boolean;
}

interface Kinded {
  readonly kind: string;
}

interface Asked<Call, H> {
  readonly call: Call;
  readonly request: PlainRequest;
  readonly step: number;
  /** More members of this service's happenings. */
  readonly more: Omit<H, keyof Sent<unknown, unknown>>;
}

const textOf = (error: unknown): string => (error instanceof Error ? String(error.stack) : String(error));

export class Lane<Call extends Kinded, Answer extends Coded, H extends Sent<Call, Answer>> {
  readonly history: H[] = [];
  readonly #run: Surroundings;
  readonly #service: LaneService<Answer, H>;
  readonly #underWay = new Set<H>();

  constructor(run: Surroundings, service: LaneService<Answer, H>) {
    this.#run = run;
    this.#service = service;
  }

  /** Resolves when its answer has arrived. @throws Breach for one that no state of the service allows. */
  async ask({ call, request, step, more }: Asked<Call, H>): Promise<void> {
    const { clock } = this.#run;
    const happening = {
      ...more,
      step,
      invoked: this.#run.tick(),
      answered: Number.POSITIVE_INFINITY,
      span: { low: clock.now, high: clock.highest },
      call,
      answer: undefined,
    } as Sent<Call, Answer> as H;
    this.history.push(happening);
    this.#underWay.add(happening);
    let plain: PlainAnswer | undefined;
    let failure: unknown;
    try {
      plain = await this.#service.send(request);
    } catch (error) {
      failure = error;
    }
    // It was lost in a crash.
    if (!this.#underWay.has(happening)) return;
    this.#end(happening);
    if (plain) this.#hear(happening, plain);
    else if (!this.#run.mayBeLost(happening.invoked))
      throw new Breach(step, `The connection failed: ${failure}`);
  }

  /** Call when the clock was set back. */
  clockJumped(): void {
    for (const happening of this.#underWay) happening.span = this.#reach(happening);
  }

  /** Calls in progress get no answer. */
  crash(): void {
    for (const happening of this.#underWay) this.#end(happening);
  }

  #reach({ span }: H): H['span'] {
    const { now, highest } = this.#run.clock;
    return { low: now < span.low ? now : span.low, high: highest + SLACK_TICKS };
  }

  #end(happening: H): void {
    happening.answered = this.#run.tick();
    happening.span = this.#reach(happening);
    this.#underWay.delete(happening);
  }

  #hear(happening: H, plain: PlainAnswer): void {
    const { call, step, invoked } = happening;
    const { read, learn, isMalformed = () => false } = this.#service;
    try {
      const answer = read(happening, plain);
      if (answer.code !== 'ServerBusy') {
        happening.answer = answer;
        learn(happening, answer);
      } else if (!this.#run.mayBeLost(invoked) || isMalformed(happening))
        throw new Error('The server is busy although nothing was done to it.');
    } catch (error) {
      const ours = this.#run.faultsOfOurs().map(each => `\n${textOf(each)}`);
      const what = error instanceof Error ? error.message : String(error);
      throw new Breach(
        step,
        `${what}\nThe answer to ${call.kind}: ${plain.status} ${plain.body}${ours.join('')}`,
      );
    }
  }
}
