// Executes the steps of a plan against a service and records what happened: a client has one call in flight at a time,
// the seed decides the order. At the end everything is read once more, and the history is judged.
import { Breach } from '../../histories/history.js';
import type { QueueHappening } from '../../queues/call.js';
import { type PlainAnswer, readAnswer } from '../judge/answer.js';
import type { Call, TableHappening as Happening, PageCall } from '../judge/history.js';
import { formRefusal, judge } from '../judge/judge.js';
import { isQueueAction, type Plan, type Step } from '../plan/step.js';
import { Clients, patiently, turns } from './clients.js';
import { SimulatedClock } from './clock.js';
import { QueueRun } from './queue-run.js';
import { buildRequest, type PlainRequest } from './request.js';
import { accountSas, sharedKeyLite, tableSas } from './signing.js';
import { type OpenTarget, openSubject, type Plant, type Subject } from './subject.js';
import { TableCaller } from './table-caller.js';
import { pageOf } from './table-wire.js';

const ACCOUNT_PATH = '/devstoreaccount1/';
/** How often the final read is retried if the store is busy. */
const TRIES_MAX = 50;

const isOfEntities = ({ kind }: Call): boolean => kind === 'writes' || kind === 'get' || kind === 'page';

class Run {
  readonly history: Happening[] = [];
  readonly #plan: Plan;
  readonly #subject: Subject;
  readonly #clock: SimulatedClock;
  readonly #clients = new Clients();
  /** When the service was last closed. */
  #disturbed = 0;
  readonly #caller = new TableCaller();
  readonly queues: QueueRun;

  constructor(plan: Plan, subject: Subject, clock: SimulatedClock) {
    this.#plan = plan;
    this.#subject = subject;
    this.#clock = clock;
    this.queues = new QueueRun({
      subject,
      clock,
      queues: plan.queues,
      tick: () => this.#clients.tick(),
      mayBeLost: invoked => this.#mayBeLost(invoked),
    });
  }

  async carryOut(): Promise<void> {
    for (const step of this.#plan.steps) {
      await turns(step.pause);
      await this.#begin(step);
    }
    await this.#clients.settle(this.#end);
    await this.#readEverything();
    await patiently(this.queues.takeEverything(this.#end), this.#end);
  }

  async #begin(step: Step): Promise<void> {
    const { action, client } = step;
    if (action.kind === 'jump') {
      // Over sockets a request is dated before it is read, and a jump in between would make it too old to be accepted.
      if (this.#plan.sockets) await this.#clients.settle(this.#end);
      this.#clock.jump(action.hours);
      this.queues.clockJumped();
    } else if (action.kind === 'reopen') {
      await this.#reopen();
    } else if (action.kind === 'crash') {
      await this.#crash();
    } else {
      await this.#clients.idle(client, step.number);
      if (isQueueAction(action)) this.#clients.follow(client, this.queues.begin(action, step.number));
      else {
        const call = this.#caller.callOf(action, client);
        if (call) this.#start(step, call);
      }
    }
  }

  /** Calls in progress may be refused because the store is closed. */
  async #reopen(): Promise<void> {
    this.#disturbed = this.#clients.tick();
    const { calls } = this.#clients;
    await this.#subject.reopen();
    this.#disturbed = this.#clients.tick();
    for (const call of calls) await call;
  }

  async #crash(): Promise<void> {
    this.#clients.crash(this.history);
    this.queues.crash();
    await this.#subject.crash();
  }

  /** The final read's number, which no step has: in a plan that lacks steps the others keep theirs. */
  get #end(): number {
    return (this.#plan.steps.at(-1)?.number ?? 0) + 1;
  }

  #signed({ credential }: Step, call: Call, request: PlainRequest): PlainRequest {
    const target = `${ACCOUNT_PATH}${request.path}`;
    const isAcl = call.kind === 'getAcl' || call.kind === 'setAcl';
    const kind = isAcl || (credential === 'tableSas' && !isOfEntities(call)) ? 'key' : credential;
    if (kind === 'key') {
      const { date } = this.#clock;
      const headers = { ...request.headers, 'x-ms-date': date, authorization: sharedKeyLite(target, date) };
      return { ...request, path: target, headers };
    }
    const sas = kind === 'tableSas' && 'table' in call ? tableSas(call.table) : accountSas();
    return { ...request, path: `${target}${target.includes('?') ? '&' : '?'}${sas}` };
  }

  #start(step: Step, call: Call): void {
    const request = this.#signed(step, call, buildRequest(call, step.level, this.#subject.endpoint));
    const happening: Happening = {
      step: step.number,
      client: step.client,
      level: step.level,
      invoked: this.#clients.tick(),
      answered: Number.POSITIVE_INFINITY,
      call,
      answer: undefined,
    };
    this.history.push(happening);
    this.#clients.follow(
      step.client,
      this.#finish(happening, this.#subject.send(request), this.#clients.epoch),
    );
  }

  /** Calls fail where faults are injected, and where the service is closed. */
  #mayBeLost(invoked: number): boolean {
    return this.#plan.faults || this.#disturbed > invoked;
  }

  async #finish(happening: Happening, sending: Promise<PlainAnswer>, epoch: number): Promise<void> {
    let plain: PlainAnswer | undefined;
    let failure: unknown;
    try {
      plain = await sending;
    } catch (error) {
      failure = error;
    }
    if (epoch !== this.#clients.epoch) return;
    happening.answered = this.#clients.tick();
    const { step, call, level } = happening;
    const mayBeLost = this.#mayBeLost(happening.invoked);
    if (!plain) {
      if (mayBeLost) return;
      throw new Breach(step, `The connection failed: ${failure}`);
    }
    try {
      const answer = readAnswer(call, plain, level);
      if (answer.code !== 'ServerBusy') {
        happening.answer = answer;
        this.#caller.learn(happening.client, call, answer);
      } else if (!mayBeLost || (call.kind === 'writes' && formRefusal(call)))
        throw new Error('The server is busy although nothing was done to it.');
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error);
      const ours = this.#subject
        .faultsOfOurs()
        .map(each => (each instanceof Error ? `\n${each.stack}` : `\n${each}`));
      throw new Breach(step, `${what}\nThe answer: ${plain.status} ${plain.body}${ours.join('')}`);
    }
  }

  /** Page by page, by a separate client. Settles what is still in doubt. */
  async #readEverything(): Promise<void> {
    for (const table of this.#plan.tables) {
      let call = pageOf(table);
      for (let tries = 0; tries < TRIES_MAX; tries += 1) {
        const happening = await this.#readPage(call);
        if (!happening?.answer) continue;
        if (!happening.answer.next) break;
        call = { ...call, from: happening.answer.next };
      }
    }
  }

  async #readPage(call: PageCall): Promise<Happening | undefined> {
    const number = this.#end;
    this.#start(
      {
        number,
        client: -1,
        pause: 0,
        level: 'nometadata',
        credential: 'key',
        action: { ...call, kind: 'query' },
      },
      call,
    );
    await this.#clients.idle(-1, number);
    return this.history.at(-1);
  }
}

export interface Outcome {
  readonly history: readonly Happening[];
  readonly queueHistory: readonly QueueHappening[];
  /** What is wrong; undefined if nothing is. */
  readonly failure: Breach | undefined;
}

export async function runPlan(plan: Plan, plant?: Plant, target?: OpenTarget): Promise<Outcome> {
  const clock = new SimulatedClock(plan.seed ^ 0x2545f491);
  const subject = await openSubject(plan, clock, plant, target);
  const run = new Run(plan, subject, clock);
  try {
    await run.carryOut();
    judge(run.history, plan);
    await run.queues.judge();
    return { history: run.history, queueHistory: run.queues.history, failure: undefined };
  } catch (error) {
    const failure =
      error instanceof Breach
        ? error
        : new Breach(plan.steps.length, error instanceof Error ? String(error.stack) : String(error));
    return { history: run.history, queueHistory: run.queues.history, failure };
  } finally {
    await subject.close();
  }
}
