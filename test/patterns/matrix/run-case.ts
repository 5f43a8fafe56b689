// Runs a case of the crash matrix once: a program that fails at given requests, workers that finish its work and may fail too, another writer afterwards or concurrently; then checks what must be true at the end.
import { PatternError } from '#patterns';
import type { Peer } from '../support/peers.js';
import { SEED } from '../support/seeded.js';
import type { Acts, Ground, MatrixCase } from './case.js';
import { Messages } from './messages.js';
import { isSlow, type Plan, Process } from './process.js';
import { type Order, type Sent, Stage } from './stage.js';

/** Lines of a trace that a failure prints. */
const TRACE_LINES = 60;

let names = 0;

class Run {
  readonly #peer: Peer;
  readonly #plan: Plan;
  readonly #acts: Acts;
  readonly #stage: Stage;
  readonly #processes: Process[] = [];
  #fault: unknown;

  constructor(peer: Peer, plan: Plan, acts: Acts, order: Order) {
    this.#peer = peer;
    this.#plan = plan;
    this.#acts = acts;
    const messages = new Messages(plan.isTwice, peer.queues());
    this.#stage = new Stage(messages, order, async () => acts.always?.());
  }

  /** `isBeside`: the other writer and a worker act at the same time as the program. */
  async run(isBeside: boolean): Promise<readonly Sent[]> {
    const [acts, stage] = [this.#acts, this.#stage];
    try {
      await this.#act(isBeside);
      for (const { isDead, working } of this.#processes) if (!isDead) await working?.stop();
      await acts.always?.();
      await acts.finally?.();
      return stage.sent;
    } catch (thrown) {
      const events = this.#processes.flatMap(({ name, events }) =>
        events.map(event => `${name} ${event.kind}${'error' in event ? ` ${event.error}` : ''}`),
      );
      const trace = stage.trace.slice(-TRACE_LINES).join('\n');
      throw new Error(`${thrown}\nEvents: ${events.join('; ')}\nRequests:\n${trace}`, { cause: thrown });
    } finally {
      for (const process of this.#processes) process.isDead = true;
      stage.close();
    }
  }

  async #act(isBeside: boolean): Promise<void> {
    const [{ operation, rival, work }, stage] = [this.#acts, this.#stage];
    const isDrained = () => this.#isDrained();
    const starts = (name: string): Process => {
      const process = this.#start(name);
      process.working = work?.(process);
      return process;
    };
    const program = this.#start('program');
    void this.#operate(program, operation).then(() => {
      if (!program.isDead) program.working = work?.(program);
    });
    if (!isBeside) await stage.play(async () => program.hasStruck || isDrained());
    const other = this.#start('rival');
    if (rival && (isBeside || isMet(this.#plan))) void this.#operate(other, rival);
    const worker = starts('worker');
    let second: Process | undefined;
    await stage.play(() => {
      if (!worker.hasStruck || second !== undefined) return isDrained();
      second = starts('second worker');
      return false;
    });
  }

  #start(name: string): Process {
    const seed = SEED + this.#processes.length;
    const started = new Process(this.#peer, this.#stage, this.#plan, name, seed);
    this.#processes.push(started);
    return started;
  }

  async #operate(process: Process, operation: Acts['operation']): Promise<void> {
    process.isActing = true;
    try {
      await operation(process.db, process);
    } catch (thrown) {
      // After a reset the program may get an error and continue; an error from outside the library fails the case.
      if (!PatternError.is(thrown) && !process.isDead) this.#fault ??= thrown;
    }
    process.isActing = false;
  }

  /** Programs that live have ended, and nothing is left to do. */
  async #isDrained(): Promise<boolean> {
    if (this.#fault !== undefined) throw this.#fault;
    if (this.#stage.isBusy || this.#processes.some(each => each.isActing && !each.isDead)) return false;
    return (await this.#acts.isDone?.()) ?? true;
  }
}

/** Whether the other writer comes: behind a program that died, it would do what was left. */
function isMet({ crashes, isTwice }: Plan): boolean {
  const all = Object.values(crashes);
  return isTwice || all.length === 0 || all.some(isSlow);
}

interface Manner {
  readonly order?: Order;
  readonly isBeside?: boolean;
}

/** Runs a case once, in which requests come as they were sent unless there is an order. Throws if something is not true that must be. */
export async function runCase(
  peer: Peer,
  { setUp }: MatrixCase,
  plan: Plan,
  { order = () => 0, isBeside = false }: Manner = {},
): Promise<readonly Sent[]> {
  // Of the set-up, messages are done at once.
  const db = peer.open({ announceAfter: 0 });
  const ground: Ground = { peer, db, newName: what => `${what}-${process.pid}-${++names}` };
  return new Run(peer, plan, await setUp(ground), order).run(isBeside);
}
