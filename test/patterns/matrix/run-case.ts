// Runs a case of the crash matrix once: a program that fails at given requests, workers that finish its work and may fail too, another writer afterwards or concurrently; then checks what must be true at the end.
import { open, PatternError } from '#patterns';
import type { Peer } from '../support/peers.js';
import { SEED } from '../support/seeded.js';
import type { Ground, MatrixCase, Working } from './case.js';
import { Messages } from './messages.js';
import { asTheyCame, type Order } from './order.js';
import { type CrashPoint, isSlow, Process, textOf } from './process.js';
import { Stage } from './stage.js';

/** Where processes fail, and what is done twice. */
export interface Plan {
  /** Of the program, which works after its operation, too. */
  readonly program: readonly CrashPoint[];
  /** Of the first worker that does what the program left. */
  readonly worker: readonly CrashPoint[];
  /** Of the other writer. */
  readonly rival?: readonly CrashPoint[];
  /** Each message is sent twice, and delivered again after it was done. */
  readonly isTwice: boolean;
}

/** The requests that could have failed: of each, whether it may have changed something. */
export interface Ran {
  readonly program: readonly boolean[];
  readonly worker: readonly boolean[];
}

const planText = ({ program, worker, rival = [], isTwice }: Plan): string =>
  [
    ...program.map(textOf),
    ...worker.map(each => `the worker ${textOf(each)}`),
    ...rival.map(each => `the rival ${textOf(each)}`),
    ...(isTwice ? ['each message twice'] : []),
  ].join(', ') || 'nothing fails';

/** Lines of a trace that a failure prints. */
const TRACE_LINES = 60;

let names = 0;

class Running<W> {
  readonly #peer: Peer;
  readonly #case: MatrixCase<W>;
  readonly #plan: Plan;
  readonly #ground: Ground;
  readonly #order: Order;
  #stage: Stage | undefined;
  #world: W | undefined;
  readonly #processes: Process[] = [];
  readonly #working = new Map<Process, Working>();
  #fault: unknown;
  /** Operations that have not ended. */
  readonly #busy = new Set<Process>();

  constructor(peer: Peer, each: MatrixCase<W>, plan: Plan, order: Order) {
    this.#peer = peer;
    this.#case = each;
    this.#plan = plan;
    this.#order = order;
    const clients = { tables: peer.client(), queues: peer.queues(), blobs: peer.blobs() };
    // Of the set-up, messages are done at once.
    const db = open(clients, { announceAfter: 0 });
    this.#ground = { peer, db, newName: what => `${what}-${process.pid}-${++names}` };
  }

  /** `isBeside`: the other writer and a worker act at the same time as the program. */
  async run(isBeside: boolean): Promise<Ran> {
    const world = await this.#case.setUp(this.#ground);
    this.#world = world;
    const stage = new Stage({
      order: this.#order,
      messages: new Messages(this.#plan.isTwice, this.#peer.queues()),
      look: async () => this.#case.always?.(world, this.#ground),
    });
    this.#stage = stage;
    try {
      const ran = await this.#acted(isBeside);
      for (const [process, working] of this.#working) if (!process.isDead) await working.stop();
      await this.#case.finally(world, this.#ground);
      return ran;
    } catch (thrown) {
      const events = this.#processes.flatMap(({ name, events }) =>
        events.map(event => `${name} ${event.kind}${'error' in event ? ` ${event.error}` : ''}`),
      );
      throw new Error(
        `${this.#case.name}: ${planText(this.#plan)}. ${thrown}\nEvents: ${events.join('; ')}\nRequests:\n${stage.trace.slice(-TRACE_LINES).join('\n')}`,
        { cause: thrown },
      );
    } finally {
      for (const process of this.#processes) process.isDead = true;
      stage.close();
    }
  }

  async #acted(isBeside: boolean): Promise<Ran> {
    const { stage, plan } = { stage: this.#at, plan: this.#plan };
    const { operation, rival } = this.#case;
    const program = this.#start('program', plan.program);
    this.#operate(program, operation.bind(this.#case), () => this.#beginWork(program));
    if (!isBeside) await stage.play(async () => program.hasStruck || (await this.#isDrained()));
    const other = this.#start('rival', plan.rival ?? []);
    if (rival && (isBeside || this.#isMet)) this.#operate(other, rival.bind(this.#case), () => undefined);
    const worker = this.#start('worker', plan.worker);
    this.#beginWork(worker);
    let second: Process | undefined;
    await stage.play(async () => {
      if (worker.hasStruck && second === undefined) {
        second = this.#start('second worker', []);
        this.#beginWork(second);
        return false;
      }
      return this.#isDrained();
    });
    return { program: program.requests, worker: worker.requests };
  }

  /** Whether the other writer comes: behind a program that died, it would do what was left. */
  get #isMet(): boolean {
    const { program, isTwice } = this.#plan;
    return isTwice || program.length === 0 || program.some(({ crash }) => isSlow(crash));
  }

  get #at(): Stage {
    if (this.#stage === undefined) throw new Error('The stage is set up first.');
    return this.#stage;
  }

  #start(name: string, points: readonly CrashPoint[]): Process {
    const { isTwice: sendsTwice } = this.#plan;
    const seed = SEED + this.#processes.length;
    const started = new Process(this.#peer, this.#at, { name, points, sendsTwice, seed });
    this.#processes.push(started);
    return started;
  }

  #operate(process: Process, operation: NonNullable<MatrixCase<W>['rival']>, then: () => void): void {
    this.#busy.add(process);
    const act = async (): Promise<void> => {
      try {
        await operation(this.#world as W, process.db, process);
      } catch (thrown) {
        // After a reset the program may get an error and continue; an error from outside the library fails the case.
        if (!PatternError.is(thrown) && !process.isDead) this.#fault ??= thrown;
      }
      this.#busy.delete(process);
      if (!process.isDead) then();
    };
    void act();
  }

  #beginWork(process: Process): void {
    const working = this.#case.work?.(this.#world as W, process);
    if (working) this.#working.set(process, working);
  }

  /** Programs that live have ended, and nothing is left to do. */
  async #isDrained(): Promise<boolean> {
    if (this.#fault !== undefined) throw this.#fault;
    const areBusy = [...this.#busy].some(process => !process.isDead);
    if (areBusy || this.#at.messages.count > 0 || this.#at.isBusy) return false;
    return (await this.#case.isDone?.(this.#world as W, this.#ground)) ?? true;
  }
}

/** Runs a case once. Throws if something is not true that must be. */
export const runCase = (
  peer: Peer,
  each: MatrixCase,
  plan: Plan,
  { order = asTheyCame, isBeside = false }: { readonly order?: Order; readonly isBeside?: boolean } = {},
): Promise<Ran> => new Running(peer, each, plan, order).run(isBeside);
