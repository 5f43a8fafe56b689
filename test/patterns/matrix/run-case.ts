// Runs a case of the crash matrix once: a program that fails at given requests, workers that finish its work and may fail too, another writer afterwards or concurrently; then checks what must be true at the end.
import { open, PatternError } from '#patterns';
import type { Peer } from '../support/peers.js';
import { SEED } from '../support/seeded.js';
import type { Ground, MatrixCase, Working } from './case.js';
import { Messages } from './messages.js';
import { type CrashPoint, isSlow, Process, textOf } from './process.js';
import { type Order, Stage } from './stage.js';

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

/** What a case consists of when it runs. */
interface Scene<W> {
  readonly peer: Peer;
  readonly case: MatrixCase<W>;
  readonly plan: Plan;
  readonly ground: Ground;
  readonly world: W;
  readonly stage: Stage;
}

class Running<W> {
  readonly #scene: Scene<W>;
  readonly #processes: Process[] = [];
  readonly #working = new Map<Process, Working>();
  #fault: unknown;
  /** Operations that have not ended. */
  readonly #busy = new Set<Process>();

  constructor(scene: Scene<W>) {
    this.#scene = scene;
  }

  /** `isBeside`: the other writer and a worker act at the same time as the program. */
  async run(isBeside: boolean): Promise<Ran> {
    const { case: each, plan, ground, world, stage } = this.#scene;
    try {
      const ran = await this.#acted(isBeside);
      for (const [process, working] of this.#working) if (!process.isDead) await working.stop();
      await each.finally(world, ground);
      return ran;
    } catch (thrown) {
      const events = this.#processes.flatMap(({ name, events }) =>
        events.map(event => `${name} ${event.kind}${'error' in event ? ` ${event.error}` : ''}`),
      );
      throw new Error(
        `${each.name}: ${planText(plan)}. ${thrown}\nEvents: ${events.join('; ')}\nRequests:\n${stage.trace.slice(-TRACE_LINES).join('\n')}`,
        { cause: thrown },
      );
    } finally {
      for (const process of this.#processes) process.isDead = true;
      stage.close();
    }
  }

  async #acted(isBeside: boolean): Promise<Ran> {
    const { stage, plan, case: each } = this.#scene;
    const program = this.#start('program', plan.program);
    this.#operate(program, each.operation.bind(each), () => this.#beginWork(program));
    if (!isBeside) await stage.play(async () => program.hasStruck || (await this.#isDrained()));
    const other = this.#start('rival', plan.rival ?? []);
    if (each.rival && (isBeside || isMet(plan))) this.#operate(other, each.rival.bind(each));
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

  #start(name: string, points: readonly CrashPoint[]): Process {
    const { peer, stage, plan } = this.#scene;
    const seed = SEED + this.#processes.length;
    const started = new Process(peer, stage, { name, points, sendsTwice: plan.isTwice, seed });
    this.#processes.push(started);
    return started;
  }

  #operate(process: Process, operation: MatrixCase<W>['operation'], then?: () => void): void {
    this.#busy.add(process);
    const act = async (): Promise<void> => {
      try {
        await operation(this.#scene.world, process.db, process);
      } catch (thrown) {
        // After a reset the program may get an error and continue; an error from outside the library fails the case.
        if (!PatternError.is(thrown) && !process.isDead) this.#fault ??= thrown;
      }
      this.#busy.delete(process);
      if (!process.isDead) then?.();
    };
    void act();
  }

  #beginWork(process: Process): void {
    const working = this.#scene.case.work?.(this.#scene.world, process);
    if (working) this.#working.set(process, working);
  }

  /** Programs that live have ended, and nothing is left to do. */
  async #isDrained(): Promise<boolean> {
    if (this.#fault !== undefined) throw this.#fault;
    const { case: each, stage, world, ground } = this.#scene;
    const areBusy = [...this.#busy].some(process => !process.isDead);
    if (areBusy || stage.messages.count > 0 || stage.isBusy) return false;
    return (await each.isDone?.(world, ground)) ?? true;
  }
}

/** Whether the other writer comes: behind a program that died, it would do what was left. */
const isMet = ({ program, isTwice }: Plan): boolean =>
  isTwice || program.length === 0 || program.some(({ crash }) => isSlow(crash));

const asTheyCame: Order = async ([first]) => first;

/** Runs a case once. Throws if something is not true that must be. */
export async function runCase(
  peer: Peer,
  each: MatrixCase,
  plan: Plan,
  { order = asTheyCame, isBeside = false }: { readonly order?: Order; readonly isBeside?: boolean } = {},
): Promise<Ran> {
  const clients = { tables: peer.client(), queues: peer.queues(), blobs: peer.blobs() };
  // Of the set-up, messages are done at once.
  const db = open(clients, { announceAfter: 0 });
  const ground: Ground = { peer, db, newName: what => `${what}-${process.pid}-${++names}` };
  const world = await each.setUp(ground);
  const stage = new Stage({
    order,
    messages: new Messages(plan.isTwice, peer.queues()),
    look: async () => each.always?.(world, ground),
  });
  return new Running({ peer, case: each, plan, ground, world, stage }).run(isBeside);
}
