// Executes a plan on a simulated disk, records what happened, and judges it. At the end everything that was not synced
// is lost once more: then everything acknowledged must be there, and after a sweep the contents on the disk must be
// those that rows name, whole.
import { type BlobContext, BlobError, execute, NO_CONDITIONS } from '#blobs';
import { collectRows, StoreError } from '#store';
import { readContent } from '../../../packages/store-lmdb/check/read-content.js';
import type { BlobAnswer, BlobCall, BlobHappening as Happening } from '../../blobs/blob-call.js';
import { blobFaults, MISSING, OUTSIDE } from '../../blobs/blob-judge.js';
import { CONTAINER, EMPTY, showStore, sumOf } from '../../blobs/blob-model.js';
import { deleteBlobs, makeContainer, perform, sweepBlobs } from '../../blobs/blob-operation.js';
import { EVERYTHING, namedContents, UNBOUNDED } from '../../blobs/content-faults.js';
import { Breach } from '../../histories/history.js';
import { below, chance, drawFrom } from '../../random/arbitrary.js';
import { Clients, patiently, turns } from '../run/clients.js';
import { SimulatedClock } from '../run/clock.js';
import type { Action, Plan, Step } from './plan.js';
import { Mount, pass } from './simulated-calls.js';
import { ACCOUNT, type Life, type Plant, World } from './world.js';

const READER_PASSES = 100;
/** A slow reader: what it has not read yet may be replaced and dropped in between. */
async function slowly(mount: Mount): Promise<void> {
  const { draw } = mount.options;
  for (let left = draw(chance(50)) ? draw(below(READER_PASSES)) : 1; left > 0; left -= 1) await pass(mount);
}

class Run {
  readonly history: Happening[] = [];
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
  }

  async carryOut(): Promise<void> {
    for (const step of this.#plan.steps) {
      await turns(step.pause);
      await this.#begin(step);
    }
    await this.#settle();
    this.#world.disk.capacity = Number.POSITIVE_INFINITY;
    await this.#restart(() => this.#world.end(this.#life, 'all'));
    await this.#sweep();
    await this.#checkContents();
    await this.#show();
  }

  /** Call last. Once all blobs are deleted neither rows nor contents are left. */
  async deleteEverything(): Promise<void> {
    const { sound } = this.#life;
    if (!this.#plan.failingSyncs) {
      await deleteBlobs(sound);
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
      default:
        await this.#clients.idle(client, number);
        this.#clients.follow(client, action.kind === 'sweep' ? this.#sweep() : this.#call(action, number));
    }
  }

  async #settle(): Promise<void> {
    await this.#clients.settle(this.#end);
    await patiently(this.#life.context.background.settled(), this.#end);
  }

  /** Another process begins. Unanswered requests to the previous one are in doubt. */
  async #restart(end: () => void): Promise<void> {
    end();
    this.#clients.crash(this.history);
    const isFull = this.#world.disk.capacity < Number.POSITIVE_INFINITY;
    this.#disturbed = isFull ? Number.POSITIVE_INFINITY : 0;
    this.#life = await this.#world.begin();
    // The process may have ended when it had dropped the container, and not made it again.
    await makeContainer(this.#life.sound).catch((error: unknown) => {
      if (!(error instanceof BlobError) || error.code !== 'ContainerAlreadyExists') throw error;
    });
    await this.#show();
  }

  async #show(): Promise<void> {
    const invoked = this.#clients.tick();
    const text = JSON.stringify(await patiently(showStore(this.#life.sound), this.#end));
    const [call, answer] = [{ kind: 'show', container: CONTAINER } as const, { code: undefined, text }];
    this.history.push({ step: this.#end, invoked, answered: this.#clients.tick(), call, answer });
  }

  async #sweep(): Promise<void> {
    try {
      await sweepBlobs(this.#life.sound);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }

  async #call(action: Extract<Action, { kind: 'write' | 'read' }>, step: number): Promise<void> {
    const call = { ...action, container: CONTAINER };
    const happening: Happening = {
      step,
      invoked: this.#clients.tick(),
      answered: Number.POSITIVE_INFINITY,
      call,
      answer: undefined,
    };
    this.history.push(happening);
    const epoch = this.#clients.epoch;
    const { mount, sound } = this.#life;
    // A fault in the middle would leave no container.
    const isDrop = call.kind === 'write' && call.step.kind === 'dropContainer';
    const context = isDrop ? sound : this.#life.context;
    let failure: unknown;
    const answer = await this.#ask(call, context, () => slowly(mount)).catch((error: unknown) => {
      failure = error;
      return undefined;
    });
    if (epoch !== this.#clients.epoch) return;
    happening.answered = this.#clients.tick();
    happening.answer = answer;
    if (answer !== undefined) return;
    const mayFail = this.#plan.faults || this.#plan.failingSyncs || this.#disturbed > happening.invoked;
    if (failure instanceof StoreError && failure.code !== 'corrupt' && mayFail) return;
    throw new Breach(step, failure instanceof Error ? String(failure.stack) : String(failure));
  }

  /** Fails if there is no answer. */
  async #ask(call: BlobCall, context: BlobContext, wait: () => Promise<void>): Promise<BlobAnswer> {
    try {
      if (call.kind === 'write') await perform(call.step, context);
      if (call.kind !== 'read') return { code: undefined };
      const [from, count] = call.range ?? [];
      const range = from === undefined || count === undefined ? undefined : { from, until: from + count };
      const asked = { container: CONTAINER, blob: call.blob, snapshot: undefined, range };
      const outcome = await execute({ kind: 'getBlob', ...asked, conditions: NO_CONDITIONS }, context);
      if (outcome.kind !== 'blobContent') throw new Error(outcome.kind);
      return { code: undefined, text: sumOf(await collected(outcome.content, wait)) };
    } catch (error) {
      if (!(error instanceof BlobError)) throw error;
      // While the container is made again it has no blobs.
      const code = error.code === 'ContainerNotFound' ? MISSING : error.code;
      if (call.kind === 'read' && ![MISSING, OUTSIDE].includes(code)) throw error;
      return { code };
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

async function collected(
  content: Buffer | AsyncIterable<Buffer>,
  wait: () => Promise<void>,
): Promise<Buffer> {
  if (Buffer.isBuffer(content)) return Buffer.from(content);
  const pieces: Buffer[] = [];
  for await (const piece of content) {
    pieces.push(Buffer.from(piece));
    await wait();
  }
  return Buffer.concat(pieces);
}

export interface Outcome {
  readonly history: readonly Happening[];
  /** What is wrong; undefined if nothing is. */
  readonly failure: Breach | undefined;
}

export async function runPlan(plan: Plan, planted: Plant = {}): Promise<Outcome> {
  const draw = drawFrom(plan.seed ^ 0x2545f491);
  const clock = new SimulatedClock(plan.seed);
  const { faults, failingSyncs } = plan;
  const world = new World({ draw, clock, faults, failingSyncs, planted });
  const life = await world.begin();
  await makeContainer(life.sound);
  const run = new Run(plan, world, life);
  try {
    await run.carryOut();
    const courses = new Map([[`container ${CONTAINER}`, { states: [EMPTY] }]]);
    const [failure] = blobFaults(run.history, courses);
    if (failure === undefined) await run.deleteEverything();
    return { history: run.history, failure };
  } catch (error) {
    const text = error instanceof Error ? String(error.stack) : String(error);
    return {
      history: run.history,
      failure: error instanceof Breach ? error : new Breach(plan.steps.length, text),
    };
  } finally {
    Mount.forgetAll();
  }
}
