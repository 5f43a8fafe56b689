// Commits of one partition by this process: those that wait are decided together and written as one conditional write. Another process that writes to the
// partition makes the condition fail, and all of them are decided again. What became of a write whose answer was lost is found out before anybody is told.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Reads, type Row, StoreError } from '#store';
import { decideGroup, type GroupRows, type Waiting } from './group.js';
import type { Change, Fence, Partition } from './partition.js';

/** A tick later than the fence, and not before the clock's. */
export type NextTick = (fence: Fence) => Promise<bigint>;

const GROUP_MAX = 100;
/** Keys that one read names. */
const KEYS_MAX = 200;
/** A range may be without a bound; an answer is not. */
const PAGE_ROWS = 1000;
const ATTEMPTS = 30;
const PAUSE_MS = 4;
const PAUSE_MS_MAX = 250;
const ID_BYTES = 16;
/** A commit of which it is not known by then whether it happened is told as such. */
const UNCLEAR_MS_MAX = 10_000;

interface Told {
  /** The condition of a write did not hold. */
  conflict(): void;
  /** Nothing waits any more. */
  ended(): void;
}

export class PartitionCommits {
  readonly #name: string;
  readonly #partition: Partition;
  readonly #nextTick: NextTick;
  readonly #waiting: Waiting[] = [];
  readonly #told: Told;
  #running: Promise<void> | undefined;

  constructor(name: string, partition: Partition, nextTick: NextTick, told: Told) {
    this.#name = name;
    this.#partition = partition;
    this.#nextTick = nextTick;
    this.#told = told;
  }

  /** Resolves when nothing waits and nothing is under way; undefined if that is so now. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  add(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    // Those that come in this turn of the event loop are in the first group.
    await undefined;
    while (this.#waiting.length > 0) {
      const group = this.#take();
      try {
        await this.#commit(group);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#running = undefined;
    this.#told.ended();
  }

  /** A commit that reads a range is alone: what others of the group change might belong to its range. */
  #take(): readonly Waiting[] {
    let count = 0;
    let keys = 0;
    for (const { reads } of this.#waiting) {
      keys += reads.keys.length;
      if (count > 0 && (reads.range !== undefined || keys > KEYS_MAX || count === GROUP_MAX)) break;
      count += 1;
      if (reads.range !== undefined) break;
    }
    return this.#waiting.splice(0, count);
  }

  async #commit(group: readonly Waiting[]): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (attempt > 0) await sleep(Math.random() * Math.min(PAUSE_MS_MAX, PAUSE_MS * 2 ** attempt));
      const rows = await this.#read(group);
      if (rows === undefined) continue;
      const { told, to, puts, deletes } = decideGroup(
        this.#name,
        group,
        rows,
        await this.#nextTick(rows.fence),
      );
      const isDone =
        puts.length + deletes.length === 0 ||
        (await this.#write({ id: randomBytes(ID_BYTES), from: rows.fence, to, puts, deletes }));
      if (!isDone) continue;
      for (const tell of told) tell();
      return;
    }
    throw new StoreError('conflict', 'Other processes kept changing the partition.');
  }

  /** Undefined if the partition changed between its keys and its range. */
  async #read(group: readonly Waiting[]): Promise<GroupRows | undefined> {
    const { fence, rows: keys } = await this.#partition.readKeys(group.flatMap(({ reads }) => reads.keys));
    const asked = group[0]?.reads.range;
    if (asked === undefined || asked.rows === 0) return { fence, keys, range: [] };
    const range = await this.#readRange(asked);
    // A commit that changes something is checked by its condition; one that does not has to have seen one state too.
    if ((await this.#partition.readKeys([])).fence !== fence) return undefined;
    return { fence, keys, range };
  }

  async #readRange({ from, until, rows: count }: NonNullable<Reads['range']>): Promise<readonly Row[]> {
    const range: Row[] = [];
    let state: string | undefined;
    do {
      const size = Math.min(count - range.length, PAGE_ROWS);
      const page = await this.#partition.readRange(from, until, size, state);
      range.push(...page.rows);
      state = page.state;
    } while (state !== undefined && range.length < count);
    return range;
  }

  /** False if it did not happen. */
  async #write(change: Change): Promise<boolean> {
    const answer = await this.#partition.write(change);
    if (answer.kind === 'unclear') return this.#findOut(change);
    if (answer.kind === 'refused') this.#told.conflict();
    return answer.kind === 'applied';
  }

  /**
   * A write whose answer was lost may wait in the buffer of a node that stands still, and happen later. So where neither its outcome is there nor the fence has
   * moved, the fence is moved past it: after that it cannot.
   */
  async #findOut({ id, from, to }: Change): Promise<boolean> {
    const giveUp = performance.now() + UNCLEAR_MS_MAX;
    let cause: unknown;
    for (let attempt = 0; performance.now() < giveUp; attempt++) {
      if (attempt > 0) await sleep(PAUSE_MS_MAX);
      try {
        const { fence, isApplied } = await this.#partition.readOutcome(id);
        if (isApplied) return true;
        if (fence !== from) return false;
        const barrier = { id: randomBytes(ID_BYTES), from, to: to + 1n, puts: [], deletes: [] };
        if ((await this.#partition.write(barrier)).kind === 'applied') return false;
      } catch (error) {
        // What is wrong in itself stays so.
        if (!(error instanceof StoreError)) throw error;
        cause = error;
      }
    }
    throw new StoreError('busy', 'It could not be found out whether the commit happened.', cause);
  }
}
