// Executes the steps of a plan against a service and records what happened: a client has one call in flight at a time,
// the seed decides the order. At the end everything is read once more, and the histories are judged.
import { Breach } from '../../histories/history.js';
import { Ledger } from '../../histories/ledger.js';
import type { QueueCall, QueueHappening } from '../../queues/call.js';
import { queueFaults } from '../../queues/judge.js';
import { QueueLedger } from '../../queues/queue-ledger.js';
import type { Sender } from '../../support/worker-processes.js';
import type { Answer, Call, TableHappening } from '../judge/history.js';
import { tableFaults } from '../judge/judge.js';
import { isQueueAction, type Plan, type QueueAction, type Step } from '../plan/step.js';
import { askOf, Clients, patiently, textOf, turns } from './clients.js';
import { SimulatedClock } from './clock.js';
import { accountSas, tableSas } from './signing.js';
import { type OpenTarget, openSubject, type Plant, type Subject } from './subject.js';
import { TableCaller } from './table-caller.js';
import { pageOf, type SentTableCall, TABLE_WIRE } from './table-wire.js';

/** Ticks rise on their own while the clock stands: more than a whole run takes. */
const SLACK_TICKS = 10_000n;
/** How often a final call is retried if the store is busy. */
const TRIES_MAX = 50;
/** Longer than anything is hidden, except after jumps. */
const HIDDEN_SECONDS_MAX = 700;
const TAKEN_SECONDS = 100_000;
const TAKEN_AT_ONCE = 32;

const isOfEntities = ({ kind }: Call): boolean => kind === 'writes' || kind === 'get' || kind === 'page';

class Run {
  readonly tables: Ledger<Call, Answer, SentTableCall>;
  readonly queues: QueueLedger;
  readonly #plan: Plan;
  readonly #subject: Subject;
  readonly #clock: SimulatedClock;
  readonly #clients = new Clients();
  /** When the service was last closed. */
  #disturbed = 0;
  readonly #tableCaller = new TableCaller();

  constructor(plan: Plan, subject: Subject, clock: SimulatedClock) {
    this.#plan = plan;
    this.#subject = subject;
    this.#clock = clock;
    const journal = { note: () => this.#clients.tick() };
    const time = {
      begin: () => ({ low: clock.now, high: clock.highest }),
      reach: ({ low }: QueueHappening['span']) => this.#reach(low),
    };
    // Calls fail where faults are injected, and where the service is closed.
    const isExcused = (invoked: number): boolean => plan.faults || this.#disturbed > invoked;
    this.tables = new Ledger(TABLE_WIRE, journal, { time, isExcused });
    this.queues = new QueueLedger(journal, { time, isExcused });
  }

  #reach(low: bigint): QueueHappening['span'] {
    const { now, highest } = this.#clock;
    return { low: now < low ? now : low, high: highest + SLACK_TICKS };
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
    const faults = [...tableFaults(this.tables.history, this.#plan), ...queueFaults(this.queues.history)];
    if (faults[0]) throw faults[0];
    const [row] = await this.#subject.faultsOfRows();
    if (row !== undefined) throw new Breach(this.#end, row);
  }

  async #begin(step: Step): Promise<void> {
    const { action, client, number } = step;
    switch (action.kind) {
      case 'jump':
        this.#clock.jump(action.hours);
        for (const happening of this.queues.history)
          if (happening.answered === Number.POSITIVE_INFINITY)
            happening.span = this.#reach(happening.span.low);
        return;
      case 'reopen':
        return this.#reopen();
      case 'crash':
        this.#clients.crash();
        this.tables.settle();
        this.queues.settle();
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

  async #onTable({ number, client, level, credential }: Omit<Step, 'action' | 'pause'>, call: Call) {
    const sender = this.#signed(credential, call);
    const faults = () => this.#subject.faultsOfOurs();
    const answer = await askOf(this.tables, sender, call, number, { more: { client, level }, faults });
    if (answer) this.#tableCaller.learn(client, call, answer);
    return answer;
  }

  #signed(credential: Step['credential'], call: Call): Sender {
    const { table } = this.#subject;
    const isAcl = call.kind === 'getAcl' || call.kind === 'setAcl';
    const kind = isAcl || (credential === 'tableSas' && !isOfEntities(call)) ? 'key' : credential;
    if (kind === 'key')
      return { ...table, request: raw => table.request({ ...raw, date: this.#clock.date }) };
    const sas = kind === 'tableSas' && 'table' in call ? tableSas(call.table) : accountSas();
    const withSas = (target: string): string => `${target}${target.includes('?') ? '&' : '?'}${sas}`;
    return {
      ...table,
      request: raw => table.request({ ...raw, target: withSas(raw.target), sign: 'none' }),
    };
  }

  async #onQueue(action: QueueAction, step: number): Promise<void> {
    if (action.kind === 'sweep') return this.#subject.sweep();
    if (action.kind === 'pass') return this.#clock.pass(action.seconds);
    const call = this.queues.caller.callOf(action);
    if (call) await this.#askQueue(call, step);
  }

  #askQueue(call: QueueCall, step: number) {
    const faults = () => this.#subject.faultsOfOurs();
    return askOf(this.queues, this.#subject.queue, call, step, { faults });
  }

  /** Page by page, by a separate client. Settles what is still in doubt. */
  async #readEverything(): Promise<void> {
    const step = { number: this.#end, client: -1, level: 'nometadata', credential: 'key' } as const;
    for (const table of this.#plan.tables) {
      let call = pageOf(table);
      for (let tries = 0; tries < TRIES_MAX; tries += 1) {
        const answer = await this.#onTable(step, call);
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
        const call = { kind: 'get', queue, count: TAKEN_AT_ONCE, seconds: TAKEN_SECONDS } as const;
        const answer = await this.#askQueue(call, this.#end);
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
    failure = error instanceof Breach ? error : new Breach(plan.steps.length, textOf(error));
  } finally {
    await subject.close();
  }
  return { history: run.tables.history, queueHistory: run.queues.history, failure };
}
