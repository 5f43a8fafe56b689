// Executes the steps of a plan against a service and records what happened: a client has one call under way at a time, the
// seed decides which client runs next. At the end everything is read once more, and the history is judged.
import type { QueueHappening } from '../../queues/call.js';
import { type PlainAnswer, readAnswer } from '../judge/answer.js';
import {
  type Answer,
  Breach,
  type Call,
  type Happening,
  type PageCall,
  type SentWrite,
} from '../judge/history.js';
import { formRefusal, judge } from '../judge/judge.js';
import { isQueueAction, type Plan, type Step, type TableAction, type Write } from '../plan/step.js';
import { SimulatedClock } from './clock.js';
import { QueueRun } from './queue-run.js';
import { buildRequest, type PlainRequest } from './request.js';
import { accountSas, sharedKeyLite, tableSas } from './signing.js';
import { type OpenTarget, openSubject, type Plant, type Subject } from './subject.js';

const ACCOUNT_PATH = '/devstoreaccount1/';
/** An answer that has not come after this time never will. */
const PATIENCE_MS = 120_000;
/** How often the last reading is tried again where the store is busy. */
const TRIES_MAX = 50;
const TICKS_PER_MS = 10_000n;

const FOREIGN_ETAG = `W/"datetime'2001-02-03T04%3A05%3A06.0000007Z'"`;
const MALFORMED_ETAG = 'latest';

function etagOf(version: bigint): string {
  const seconds = new Date(Number(version / TICKS_PER_MS)).toISOString().slice(0, 19).replaceAll(':', '%3A');
  return `W/"datetime'${seconds}.${String(version % 10_000_000n).padStart(7, '0')}Z'"`;
}

async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) {
    await new Promise<void>(resolve => {
      setImmediate(resolve);
    });
  }
}

async function patiently<T>(waited: Promise<T>, step: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Breach(step, 'There was no answer.')), PATIENCE_MS);
  });
  try {
    return await Promise.race([waited, late]);
  } finally {
    clearTimeout(timer);
  }
}

const entityName = (table: string, partition: string, key: string): string =>
  JSON.stringify([table.toLowerCase(), partition, key]);

const isOfEntities = ({ kind }: Call): boolean => kind === 'writes' || kind === 'get' || kind === 'page';

class Run {
  readonly history: Happening[] = [];
  readonly #plan: Plan;
  readonly #subject: Subject;
  readonly #clock: SimulatedClock;
  #time = 0;
  /** Grows with each crash; what was sent before one gets no answer. */
  #epoch = 0;
  /** When the service was last closed. */
  #disturbed = 0;
  readonly #busy = new Map<number, Promise<void>>();
  /** By entity, the versions that clients received, in that order. */
  readonly #versions = new Map<string, bigint[]>();
  /** By client, the call for the page that follows. */
  readonly #following = new Map<number, Call>();
  readonly queues: QueueRun;

  constructor(plan: Plan, subject: Subject, clock: SimulatedClock) {
    this.#plan = plan;
    this.#subject = subject;
    this.#clock = clock;
    this.queues = new QueueRun({
      subject,
      clock,
      queues: plan.queues,
      tick: () => this.#tick(),
      mayBeLost: invoked => this.#mayBeLost(invoked),
    });
  }

  async carryOut(): Promise<void> {
    for (const step of this.#plan.steps) {
      await turns(step.pause);
      await this.#begin(step);
    }
    await this.#settle();
    await this.#readEverything();
    await patiently(this.queues.takeEverything(this.#end), this.#end);
  }

  async #begin(step: Step): Promise<void> {
    const { action, client } = step;
    if (action.kind === 'jump') {
      // Over sockets a request is dated before it is read, and a jump between would make it too old to be let in.
      if (this.#plan.sockets) await this.#settle();
      this.#clock.jump(action.hours);
      this.queues.clockJumped();
    } else if (action.kind === 'reopen') {
      await this.#reopen();
    } else if (action.kind === 'crash') {
      await this.#crash();
    } else {
      await patiently(this.#busy.get(client) ?? Promise.resolve(), step.number);
      if (isQueueAction(action)) this.#follow(client, this.queues.begin(action, step.number));
      else {
        const call = this.#callOf(action, client);
        if (call) this.#start(step, call);
      }
    }
  }

  async #settle(): Promise<void> {
    for (const [, call] of this.#busy) await patiently(call, this.#end);
  }

  /** What is under way may be refused because the store is closed. */
  async #reopen(): Promise<void> {
    this.#disturbed = this.#tick();
    const calls = [...this.#busy.values()];
    await this.#subject.reopen();
    this.#disturbed = this.#tick();
    for (const call of calls) await call;
  }

  async #crash(): Promise<void> {
    this.#epoch += 1;
    for (const happening of this.history) {
      if (happening.answered === Number.POSITIVE_INFINITY) happening.answered = this.#tick();
    }
    this.queues.crash();
    this.#busy.clear();
    await this.#subject.crash();
  }

  /** The last reading's number, which no step has: of a plan that lacks steps the others keep theirs. */
  get #end(): number {
    return (this.#plan.steps.at(-1)?.number ?? 0) + 1;
  }

  #tick(): number {
    this.#time += 1;
    return this.#time;
  }

  #ifMatch(table: string, { partition, key, match }: Write): string | undefined {
    const versions = this.#versions.get(entityName(table, partition, key)) ?? [];
    const last = versions.at(-1);
    switch (match) {
      case 'absent':
        return undefined;
      case 'any':
        return '*';
      case 'malformed':
        return MALFORMED_ETAG;
      case 'last':
        return last === undefined ? FOREIGN_ETAG : etagOf(last);
      case 'earlier': {
        const earlier = versions.findLast(version => version !== last);
        return earlier === undefined ? FOREIGN_ETAG : etagOf(earlier);
      }
      case 'foreign':
        return FOREIGN_ETAG;
    }
  }

  #callOf(action: TableAction, client: number): Call | undefined {
    const sent = (table: string, write: Write): SentWrite => ({
      ...write,
      ifMatch: this.#ifMatch(table, write),
    });
    switch (action.kind) {
      case 'write': {
        const { table, write, prefer } = action;
        return {
          kind: 'writes',
          table,
          writes: [sent(table, write)],
          isBatch: false,
          prefer: write.kind === 'insert' ? prefer : undefined,
        };
      }
      case 'transaction': {
        const { table, writes } = action;
        return {
          kind: 'writes',
          table,
          writes: writes.map(write => sent(table, write)),
          isBatch: true,
          prefer: undefined,
        };
      }
      case 'query':
        return { ...action, kind: 'page', from: undefined };
      case 'queryTables':
        return { ...action, from: undefined };
      case 'nextPage': {
        const call = this.#following.get(client);
        this.#following.delete(client);
        return call;
      }
      case 'jump':
      case 'reopen':
      case 'crash':
        return undefined;
      default:
        return action;
    }
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
      invoked: this.#tick(),
      answered: Number.POSITIVE_INFINITY,
      call,
      answer: undefined,
    };
    this.history.push(happening);
    this.#follow(step.client, this.#finish(happening, this.#subject.send(request), this.#epoch));
  }

  /** A failure surfaces where the run waits for the client, or for all of them. */
  #follow(client: number, finished: Promise<void>): void {
    finished.catch(() => undefined);
    this.#busy.set(client, finished);
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
    if (epoch !== this.#epoch) return;
    happening.answered = this.#tick();
    const { step, call, level } = happening;
    const mayBeLost = this.#mayBeLost(happening.invoked);
    if (!plain) {
      if (mayBeLost) return;
      throw new Breach(step, `The connection failed: ${failure}`);
    }
    try {
      const answer = readAnswer(call, plain, level);
      if (answer.code !== 'ServerBusy') this.#learn(happening, answer);
      else if (!mayBeLost || (call.kind === 'writes' && formRefusal(call)))
        throw new Error('The server is busy although nothing was done to it.');
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error);
      const ours = this.#subject
        .faultsOfOurs()
        .map(each => (each instanceof Error ? `\n${each.stack}` : `\n${each}`));
      throw new Breach(step, `${what}\nThe answer: ${plain.status} ${plain.body}${ours.join('')}`);
    }
  }

  #learn(happening: Happening, answer: Answer): void {
    happening.answer = answer;
    const { call, client } = happening;
    if (call.kind === 'writes') {
      answer.versions.forEach((version, i) => {
        const write = call.writes[i];
        if (write) this.#saw(call.table, write, version);
      });
    }
    if ('table' in call) for (const entity of answer.entities) this.#saw(call.table, entity, entity.version);
    if (call.kind === 'page' && answer.next) this.#following.set(client, { ...call, from: answer.next });
    if (call.kind === 'queryTables' && answer.nextTable !== undefined)
      this.#following.set(client, { ...call, from: answer.nextTable });
  }

  #saw(table: string, place: { partition: string; key: string }, version: bigint | undefined): void {
    if (version === undefined) return;
    const name = entityName(table, place.partition, place.key);
    const versions = this.#versions.get(name);
    if (versions) versions.push(version);
    else this.#versions.set(name, [version]);
  }

  /** Page by page, by a client of its own. Decides what is still in doubt. */
  async #readEverything(): Promise<void> {
    for (const table of this.#plan.tables) {
      let call: PageCall = {
        kind: 'page',
        table,
        filter: undefined,
        top: undefined,
        select: undefined,
        from: undefined,
      };
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
    await patiently(this.#busy.get(-1) ?? Promise.resolve(), number);
    return this.history.at(-1);
  }
}

export interface Outcome {
  readonly history: readonly Happening[];
  readonly queueHistory: readonly QueueHappening[];
  /** What was found wrong; undefined if nothing was. */
  readonly failure: Breach | undefined;
}

export async function runPlan(plan: Plan, plant?: Plant, target?: OpenTarget): Promise<Outcome> {
  const clock = new SimulatedClock(plan.seed ^ 0x2545f491);
  const subject = await openSubject(plan, clock, plant, target);
  const run = new Run(plan, subject, clock);
  try {
    await run.carryOut();
    judge(run.history, plan);
    run.queues.judge();
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
