// Executes a plan on a simulated disk, records what happened, and judges it. At the end everything that was not synced
// is lost once more: then everything acknowledged must be there, and after a sweep the contents on the disk must be
// those that rows name, whole.
import type { BlobContext } from '#blobs';
import { StoreError } from '#store';
import { CONTAINER, showStore } from '../../blobs/blob-model.js';
import { perform } from '../../blobs/blob-operation.js';
import { Breach } from '../judge/history.js';
import { Random } from '../plan/random.js';
import { SimulatedClock } from '../run/clock.js';
import { type Happening, judge, MISSING, OUTSIDE, type Question, sumOf } from './history.js';
import type { Action, Plan, Step } from './plan.js';
import { Mount, pass } from './simulated-calls.js';
import { ACCOUNT, type Life, type Plant, World } from './world.js';

const READER_PASSES = 100;
/** In steps: no time passes while this process is stopped. */
const PATIENCE_STEPS = 1_200;
const PATIENCE_STEP_MS = 100;
const UNBOUNDED = { rows: 1e9, bytes: 1e12, examined: 1e9, milliseconds: 1e9 };

async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await new Promise(resolve => setImmediate(resolve));
}

async function patiently<T>(waited: Promise<T>, step: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    let left = PATIENCE_STEPS;
    timer = setInterval(() => {
      left -= 1;
      if (left === 0) reject(new Breach(step, 'There was no answer.'));
    }, PATIENCE_STEP_MS);
  });
  try {
    return await Promise.race([waited, late]);
  } finally {
    clearInterval(timer);
  }
}

/** A slow reader: what it has not read yet may be replaced and dropped in between. */
async function slowly(mount: Mount): Promise<void> {
  const { random } = mount.options;
  for (let left = random.happens(0.5) ? random.below(READER_PASSES) : 1; left > 0; left -= 1)
    await pass(mount);
}

class Run {
  readonly history: Happening[] = [];
  readonly #plan: Plan;
  readonly #world: World;
  #life: Life;
  #time = 0;
  /** Counts processes: requests to an earlier one get no answer. */
  #epoch = 0;
  /** When the process was last closed, or the disk was full. */
  #disturbed = 0;
  readonly #busy = new Map<number, Promise<void>>();

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
    await this.#life.close();
  }

  get #end(): number {
    return (this.#plan.steps.at(-1)?.number ?? 0) + 1;
  }

  #tick(): number {
    this.#time += 1;
    return this.#time;
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
        await patiently(this.#busy.get(client) ?? Promise.resolve(), number);
        this.#follow(client, action.kind === 'sweep' ? this.#sweep() : this.#call(action, number));
    }
  }

  #follow(client: number, finished: Promise<void>): void {
    finished.catch(() => undefined);
    this.#busy.set(client, finished);
  }

  async #settle(): Promise<void> {
    for (const [, call] of this.#busy) await patiently(call, this.#end);
    await patiently(this.#life.context.background.settled(), this.#end);
  }

  /** Another process begins. Unanswered requests to the previous one are in doubt. */
  async #restart(end: () => void): Promise<void> {
    this.#epoch += 1;
    end();
    for (const happening of this.history)
      if (happening.answered === Number.POSITIVE_INFINITY) happening.answered = this.#tick();
    this.#busy.clear();
    const isFull = this.#world.disk.capacity < Number.POSITIVE_INFINITY;
    this.#disturbed = isFull ? Number.POSITIVE_INFINITY : 0;
    this.#life = await this.#world.begin();
    const invoked = this.#tick();
    const text = JSON.stringify(await patiently(showStore(this.#life.sound), this.#end));
    const question = { kind: 'show', text } as const;
    this.history.push({ step: this.#end, invoked, answered: this.#tick(), required: true, question });
  }

  async #sweep(): Promise<void> {
    const { BlobSweep } = await import('#blobs');
    const sweep = new BlobSweep({ ...this.#life.sound, accounts: () => [ACCOUNT] });
    try {
      while (!(await sweep.step()).isPassOver);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }

  async #call(action: Extract<Action, { kind: 'write' | 'read' }>, step: number): Promise<void> {
    const question: Question = { ...action };
    const happening: Happening = {
      step,
      invoked: this.#tick(),
      answered: Number.POSITIVE_INFINITY,
      required: false,
      question,
    };
    this.history.push(happening);
    const epoch = this.#epoch;
    const { context, mount } = this.#life;
    const failure: unknown = await this.#ask(question, context, () => slowly(mount)).catch(
      (error: unknown) => error,
    );
    if (epoch !== this.#epoch) return;
    happening.answered = this.#tick();
    happening.required = failure === undefined;
    if (failure === undefined) return;
    const mayFail = this.#plan.faults || this.#plan.failingSyncs || this.#disturbed > happening.invoked;
    if (failure instanceof StoreError && failure.code !== 'corrupt' && mayFail) return;
    throw new Breach(step, failure instanceof Error ? String(failure.stack) : String(failure));
  }

  /** Puts the answer into the question; fails if there is none. */
  async #ask(question: Question, context: BlobContext, wait: () => Promise<void>): Promise<void> {
    const { BlobError, execute, NO_CONDITIONS } = await import('#blobs');
    try {
      if (question.kind === 'write') {
        await perform(question.step, context);
        question.answer = 'done';
      } else if (question.kind === 'read') {
        const [from, count] = question.range ?? [];
        const range = from === undefined || count === undefined ? undefined : { from, until: from + count };
        const asked = { container: CONTAINER, blob: question.blob, snapshot: undefined, range };
        const outcome = await execute({ kind: 'getBlob', ...asked, conditions: NO_CONDITIONS }, context);
        if (outcome.kind !== 'blobContent') throw new Error(outcome.kind);
        question.answer = sumOf(await collected(outcome.content, wait));
      }
    } catch (error) {
      if (!(error instanceof BlobError)) throw error;
      if (question.kind === 'write') question.answer = 'refused';
      else if (question.kind === 'read' && [MISSING, OUTSIDE].includes(error.code))
        question.answer = error.code;
      else throw error;
    }
  }

  /** As a check does it. */
  async #checkSums(path: string, ids: Iterable<string>): Promise<void> {
    const { readContent } = await import('../../../packages/store-lmdb/check/read-content.js');
    for (const id of ids) {
      const damage = await readContent(`${this.#life.mount.path}/${path}/${id}`, id, () => undefined);
      if (damage !== undefined)
        throw new Breach(this.#end, `The content ${id} is damaged: ${JSON.stringify(damage)}`);
    }
  }

  /** In the files, and by the rows. */
  async #checkContents(): Promise<void> {
    const { contentsNamedBy } = await import('#blobs');
    const { disk, rows } = this.#world;
    const [space] = await rows.listSpaces(ACCOUNT, 'blob', '', 1);
    if (space === undefined) return;
    const path = `contents/${space.id}`;
    const there = new Set(disk.find(path) === undefined ? [] : disk.names(path));
    const named = new Set<string>();
    const fileOf = (id: string) => disk.find(`${path}/${id}`);
    await rows.scan(space, { from: { partition: '', key: '' } }, UNBOUNDED, row => {
      for (const { id, bytes, names } of contentsNamedBy(space, row)) {
        named.add(id);
        const file = fileOf(id);
        if (file === undefined || file.length < bytes)
          throw new Breach(this.#end, `The content ${id} is not whole.`);
        for (const one of names?.(file.bytes.subarray(0, bytes)) ?? []) named.add(one.id);
      }
      return true;
    });
    for (const id of there)
      if (!named.has(id)) throw new Breach(this.#end, `After a sweep no row names the content ${id}.`);
    for (const id of named) if (!there.has(id)) throw new Breach(this.#end, `The content ${id} is missing.`);
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
  const random = new Random(plan.seed ^ 0x2545f491);
  const clock = new SimulatedClock(plan.seed);
  const { faults, failingSyncs } = plan;
  const world = new World({ random, clock, faults, failingSyncs, planted });
  const life = await world.begin();
  const { execute } = await import('#blobs');
  const container = {
    kind: 'createContainer',
    container: CONTAINER,
    metadata: [],
    publicAccess: 'private',
  } as const;
  await execute(container, life.sound);
  const run = new Run(plan, world, life);
  try {
    await run.carryOut();
    judge(run.history);
    return { history: run.history, failure: undefined };
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
