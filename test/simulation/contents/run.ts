// Executes a plan on a simulated disk, records what happened, and judges it. At the end everything that was not synced
// is lost once more: then everything acknowledged must be there, and after a sweep the contents on the disk must be
// those that rows name, whole.

import { collectRows, StoreError } from '#store';
import { readContent } from '../../../packages/store-lmdb/check/read-content.js';
import type { BlobAnswer, BlobCall, BlobHappening } from '../../blobs/blob-call.js';
import { blobFaults } from '../../blobs/blob-judge.js';
import { BlobLedger } from '../../blobs/blob-ledger.js';
import { type Step as BlobStep, CONTAINER, NAMES } from '../../blobs/blob-model.js';
import { BLOB_WIRE } from '../../blobs/blob-wire.js';
import { EVERYTHING, namedContents, UNBOUNDED } from '../../blobs/content-faults.js';
import { Breach } from '../../histories/history.js';
import { drawFrom } from '../../random/arbitrary.js';
import { askOf, Clients, patiently, textOf, turns } from '../run/clients.js';
import { SimulatedClock } from '../run/clock.js';
import type { Plan, Step } from './plan.js';
import { Mount } from './simulated-calls.js';
import { ACCOUNT, type Life, type Plant, World } from './world.js';

class Run {
  readonly ledger: BlobLedger;
  readonly #plan: Plan;
  readonly #world: World;
  #life: Life;
  readonly #clients = new Clients();
  /** When the process was last closed, or the disk was full. */
  #disturbed = 0;

  constructor(plan: Plan, world: World, life: Life) {
    this.#plan = plan;
    this.#world = world;
    this.#life = life;
    const isExcused = (invoked: number): boolean =>
      plan.faults || plan.failingSyncs || this.#disturbed > invoked;
    this.ledger = new BlobLedger({ note: () => this.#clients.tick() }, { isExcused });
  }

  async carryOut(): Promise<void> {
    await this.#askSoundly('make');
    for (const step of this.#plan.steps) {
      await turns(step.pause);
      await this.#begin(step);
    }
    await this.#clients.settle(this.#end);
    await patiently(this.#life.settled(), this.#end);
    this.#world.disk.capacity = Number.POSITIVE_INFINITY;
    await this.#restart(() => this.#world.end(this.#life, 'all'));
    await this.#sweep();
    await this.#checkContents();
    await this.#askSoundly('show');
  }

  /** Call last. Once all blobs are deleted neither rows nor contents are left. */
  async deleteEverything(): Promise<void> {
    if (!this.#plan.failingSyncs) {
      await this.#deleteBlobs();
      await this.#checkContents();
      const left = await this.#rowsLeft();
      if (left.length > 0) throw new Breach(this.#end, `Of deleted blobs rows are left: ${left.join()}`);
    }
    await this.#life.close();
    const { disk } = this.#world;
    const spaces = disk.find('contents') === undefined ? [] : disk.names('contents');
    const dropped = spaces.filter(name => /^\d+$/.test(name) && !this.#world.isLiving(Number(name)));
    if (dropped.length > 0)
      throw new Breach(this.#end, `Of dropped containers contents are left: ${dropped}`);
  }

  /** Each can be written to, and is deleted; then a sweep. */
  async #deleteBlobs(): Promise<void> {
    this.#life.isSound = true;
    const perform = async (kind: BlobStep['kind'], blob: number): Promise<number> => {
      const step = { kind, blob, other: 0, size: 20_000, fill: 0 };
      const call = { kind: 'write', container: CONTAINER, step } as const;
      return (await BLOB_WIRE.send(this.#life.sender, call)).status;
    };
    for (const blob of NAMES.keys()) {
      // It may have a lease.
      await perform('lease', blob);
      for (const kind of ['put', 'delete'] as const) {
        const status = await perform(kind, blob);
        if (status >= 300) throw new Breach(this.#end, `The last ${kind} of ${NAMES[blob]} got ${status}.`);
      }
    }
    await this.#life.settled();
    await this.#sweep();
  }

  async #rowsLeft(): Promise<readonly string[]> {
    const { rows } = this.#world;
    const [space] = await rows.listSpaces(ACCOUNT, 'blob', '', 1);
    const left = space && (await collectRows(rows, space, EVERYTHING, UNBOUNDED)).rows;
    return left?.map(({ partition, key }) => `${partition} ${key}`) ?? [];
  }

  get #end(): number {
    return (this.#plan.steps.at(-1)?.number ?? 0) + 1;
  }

  async #begin({ action, client, number }: Step): Promise<void> {
    switch (action.kind) {
      case 'kill':
        return this.#restart(() => this.#world.end(this.#life));
      case 'cut':
        return this.#restart(() => this.#world.end(this.#life, action.mood));
      case 'reopen': {
        this.#disturbed = Number.POSITIVE_INFINITY;
        await patiently(this.#life.close(), number);
        return this.#restart(() => undefined);
      }
      case 'full':
        this.#disturbed = Number.POSITIVE_INFINITY;
        this.#world.disk.capacity = this.#world.disk.used + (action.bytes ?? Number.POSITIVE_INFINITY);
        return;
      default: {
        await this.#clients.idle(client, number);
        const doing =
          action.kind === 'sweep' ? this.#sweep() : this.#ask({ ...action, container: CONTAINER }, number);
        this.#clients.follow(client, doing);
      }
    }
  }

  /** Another process begins. Unanswered requests to the previous one are in doubt. */
  async #restart(end: () => void): Promise<void> {
    end();
    this.#clients.crash();
    this.ledger.settle();
    const isFull = this.#world.disk.capacity < Number.POSITIVE_INFINITY;
    this.#disturbed = isFull ? Number.POSITIVE_INFINITY : 0;
    this.#life = await this.#world.begin();
    // The process may have ended when it had dropped the container, and not made it again.
    await this.#askSoundly('make');
    await this.#askSoundly('show');
  }

  #ask(call: BlobCall, step: number): Promise<BlobAnswer | undefined> {
    const { sender, failures } = this.#life;
    return askOf(this.ledger, sender, call, step, { faults: () => failures.splice(0) });
  }

  /** While nothing else is in progress, and without faults. */
  async #askSoundly(kind: 'make' | 'show'): Promise<void> {
    this.#life.isSound = true;
    await patiently(this.#ask({ kind, container: CONTAINER }, this.#end), this.#end);
    this.#life.isSound = false;
  }

  async #sweep(): Promise<void> {
    try {
      await this.#life.sweep();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }

  /** As a check does it. */
  async #checkSums(path: string, ids: Iterable<string>): Promise<void> {
    for (const id of ids) {
      const damage = await readContent(`${this.#life.mount.path}/${path}/${id}`, id, () => undefined);
      if (damage !== undefined)
        throw new Breach(this.#end, `The content ${id} is damaged: ${JSON.stringify(damage)}`);
    }
  }

  /** In the files, and by the rows. */
  async #checkContents(): Promise<void> {
    const { disk, rows } = this.#world;
    const [space] = await rows.listSpaces(ACCOUNT, 'blob', '', 1);
    if (space === undefined) return;
    const path = `contents/${space.id}`;
    const there = new Set(disk.find(path) === undefined ? [] : disk.names(path));
    const read = (id: string): Buffer => {
      const file = disk.find(`${path}/${id}`);
      return file?.bytes.subarray(0, file.length) ?? Buffer.alloc(0);
    };
    const { named, faults } = await namedContents(rows, space, there, read);
    if (faults.length > 0) throw new Breach(this.#end, faults.join('\n'));
    await this.#checkSums(path, named);
  }
}

export interface Outcome {
  readonly history: readonly BlobHappening[];
  /** What is wrong; undefined if nothing is. */
  readonly failure: Breach | undefined;
}

export async function runPlan(plan: Plan, planted: Plant = {}): Promise<Outcome> {
  const draw = drawFrom(plan.seed ^ 0x2545f491);
  const clock = new SimulatedClock(plan.seed);
  const { faults, failingSyncs } = plan;
  const world = new World({ draw, clock, faults, failingSyncs, planted });
  const run = new Run(plan, world, await world.begin());
  let failure: Breach | undefined;
  try {
    await run.carryOut();
    failure = blobFaults(run.ledger.history)[0];
    if (failure === undefined) await run.deleteEverything();
  } catch (error) {
    failure = error instanceof Breach ? error : new Breach(plan.steps.length, textOf(error));
  } finally {
    Mount.forgetAll();
  }
  return { history: run.ledger.history, failure };
}
