// Executes the steps of a plan against a service and records what happened: a client has one call in flight at a time,
// the seed decides the order. At the end everything is read once more, and the histories are judged.
import { Breach } from '../../histories/history.js';
import { readQueueAnswer } from '../../queues/answer.js';
import type { QueueAnswer, QueueCall, QueueHappening } from '../../queues/call.js';
import { queueFaults } from '../../queues/judge.js';
import { QueueCaller } from '../../queues/queue-caller.js';
import { queueRequest } from '../../queues/request.js';
import { readAnswer } from '../judge/answer.js';
import type { Answer, Call, TableHappening } from '../judge/history.js';
import { formRefusal, judge } from '../judge/judge.js';
import { isQueueAction, type Plan, type QueueAction, type Step } from '../plan/step.js';
import { Clients, patiently, turns } from './clients.js';
import { SimulatedClock } from './clock.js';
import { Lane, type Surroundings } from './lane.js';
import { buildRequest, type PlainRequest } from './request.js';
import { accountSas, sharedKeyLite, tableSas } from './signing.js';
import { type OpenTarget, openSubject, type Plant, type Subject } from './subject.js';
import { TableCaller } from './table-caller.js';
import { pageOf, type SentTableCall } from './table-wire.js';

const ACCOUNT_PATH = '/devstoreaccount1/';
const QUEUE_HEADERS = { 'x-ms-version': '2019-02-02' };
/** How often a final call is retried if the store is busy. */
const TRIES_MAX = 50;
/** Longer than anything is hidden, except after jumps. */
const HIDDEN_SECONDS_MAX = 700;
const TAKEN_SECONDS = 100_000;
const TAKEN_AT_ONCE = 32;

const isOfEntities = ({ kind }: Call): boolean => kind === 'writes' || kind === 'get' || kind === 'page';

const withQuery = (path: string, query: string): string => `${path}${path.includes('?') ? '&' : '?'}${query}`;

class Run {
  readonly tables: Lane<Call, Answer, SentTableCall>;
  readonly queues: Lane<QueueCall, QueueAnswer, QueueHappening>;
  readonly #plan: Plan;
  readonly #subject: Subject;
  readonly #clock: SimulatedClock;
  readonly #clients = new Clients();
  /** When the service was last closed. */
  #disturbed = 0;
  readonly #tableCaller = new TableCaller();
  readonly #queueCaller = new QueueCaller();

  constructor(plan: Plan, subject: Subject, clock: SimulatedClock) {
    this.#plan = plan;
    this.#subject = subject;
    this.#clock = clock;
    const run: Surroundings = {
      clock,
      tick: () => this.#clients.tick(),
      // Calls fail where faults are injected, and where the service is closed.
      mayBeLost: invoked => plan.faults || this.#disturbed > invoked,
      faultsOfOurs: () => subject.faultsOfOurs(),
    };
    this.tables = new Lane(run, {
      send: request => subject.send(request),
      read: ({ call, level }, plain) => readAnswer(call, plain, level),
      learn: ({ client, call }, answer) => this.#tableCaller.learn(client, call, answer),
      isMalformed: ({ call }) => call.kind === 'writes' && formRefusal(call) !== undefined,
    });
    this.queues = new Lane(run, {
      send: request => subject.sendToQueue(request),
      read: ({ call }, { status, headers, body }) =>
        readQueueAnswer(call, { status, header: name => headers.get(name), body }),
      learn: ({ call }, answer) => this.#queueCaller.learn(call, answer),
    });
  }

  async carryOut(): Promise<void> {
    for (const step of this.#plan.steps) {
      await turns(step.pause);
      await this.#begin(step);
    }
    await this.#clients.settle(this.#end);
    await patiently(this.#readEverything(), this.#end);
    await patiently(this.#takeEverything(), this.#end);
  }

  /** @throws Breach for forbidden answers, and for rows that no answer shows. */
  async judge(): Promise<void> {
    judge(this.tables.history, this.#plan);
    const [fault] = queueFaults(this.queues.history);
    if (fault) throw new Breach(fault.step, fault.message);
    const [row] = await this.#subject.faultsOfRows();
    if (row !== undefined) throw new Breach(this.#end, row);
  }

  async #begin(step: Step): Promise<void> {
    const { action, client, number } = step;
    switch (action.kind) {
      case 'jump':
        // Over sockets a request is dated before it is read, and a jump in between would make it too old to be accepted.
        if (this.#plan.sockets) await this.#clients.settle(this.#end);
        this.#clock.jump(action.hours);
        this.queues.clockJumped();
        return;
      case 'reopen':
        return this.#reopen();
      case 'crash':
        this.#clients.crash();
        this.tables.crash();
        this.queues.crash();
        return this.#subject.crash();
      default: {
        await this.#clients.idle(client, number);
        if (isQueueAction(action)) return this.#clients.follow(client, this.#onQueue(action, number));
        const call = this.#tableCaller.callOf(action, client);
        if (call) this.#clients.follow(client, this.#onTable(step, call));
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

  /** The final calls' number, which no step has: in a plan that lacks steps the others keep theirs. */
  get #end(): number {
    return (this.#plan.steps.at(-1)?.number ?? 0) + 1;
  }

  #onTable({ number, client, level, credential }: Omit<Step, 'action' | 'pause'>, call: Call): Promise<void> {
    const request = this.#signed(credential, call, buildRequest(call, level, this.#subject.endpoint));
    return this.tables.ask({ call, request, step: number, more: { client, level } });
  }

  #signed(credential: Step['credential'], call: Call, request: PlainRequest): PlainRequest {
    const target = `${ACCOUNT_PATH}${request.path}`;
    const isAcl = call.kind === 'getAcl' || call.kind === 'setAcl';
    const kind = isAcl || (credential === 'tableSas' && !isOfEntities(call)) ? 'key' : credential;
    if (kind === 'key') {
      const { date } = this.#clock;
      const headers = { ...request.headers, 'x-ms-date': date, authorization: sharedKeyLite(target, date) };
      return { ...request, path: target, headers };
    }
    const sas = kind === 'tableSas' && 'table' in call ? tableSas(call.table) : accountSas();
    return { ...request, path: withQuery(target, sas) };
  }

  async #onQueue(action: QueueAction, step: number): Promise<void> {
    if (action.kind === 'sweep') return this.#subject.sweep();
    if (action.kind === 'pass') return this.#clock.pass(action.seconds);
    const call = this.#queueCaller.callOf(action);
    if (call) await this.#askQueue(call, step);
  }

  #askQueue(call: QueueCall, step: number): Promise<void> {
    const { method, path, body } = queueRequest(call);
    const signed = withQuery(`${ACCOUNT_PATH}${path}`, accountSas('q'));
    return this.queues.ask({
      call,
      request: { method, path: signed, headers: QUEUE_HEADERS, body },
      step,
      more: {},
    });
  }

  /** Page by page, by a separate client. Settles what is still in doubt. */
  async #readEverything(): Promise<void> {
    const step = { number: this.#end, client: -1, level: 'nometadata', credential: 'key' } as const;
    for (const table of this.#plan.tables) {
      let call = pageOf(table);
      for (let tries = 0; tries < TRIES_MAX; tries += 1) {
        await this.#onTable(step, call);
        const answer = this.tables.history.at(-1)?.answer;
        if (!answer) continue;
        if (!answer.next) break;
        call = { ...call, from: answer.next };
      }
    }
  }

  /** Once the clock is past every time at which anything may be hidden, everything that is left must become visible. */
  async #takeEverything(): Promise<void> {
    const clock = this.#clock;
    clock.pass(Number((clock.highest - clock.now) / 10_000_000n) + HIDDEN_SECONDS_MAX);
    for (const queue of this.#plan.queues)
      for (let tries = 0; tries < TRIES_MAX; tries += 1) {
        await this.#askQueue({ kind: 'get', queue, count: TAKEN_AT_ONCE, seconds: TAKEN_SECONDS }, this.#end);
        const answer = this.queues.history.at(-1)?.answer;
        if (answer && answer.messages.length < TAKEN_AT_ONCE) break;
      }
  }
}

export interface Outcome {
  readonly history: readonly TableHappening[];
  readonly queueHistory: readonly QueueHappening[];
  /** What is wrong; undefined if nothing is. */
  readonly failure: Breach | undefined;
}

export async function runPlan(plan: Plan, plant?: Plant, target?: OpenTarget): Promise<Outcome> {
  const clock = new SimulatedClock(plan.seed ^ 0x2545f491);
  const subject = await openSubject(plan, clock, plant, target);
  const run = new Run(plan, subject, clock);
  let failure: Breach | undefined;
  try {
    await run.carryOut();
    await run.judge();
  } catch (error) {
    const text = error instanceof Error ? String(error.stack) : String(error);
    failure = error instanceof Breach ? error : new Breach(plan.steps.length, text);
  } finally {
    await subject.close();
  }
  return { history: run.tables.history, queueHistory: run.queues.history, failure };
}
