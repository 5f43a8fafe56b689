// Commits of one partition by this process: waiting ones are decided together and written as one conditional write. If
// another process writes to the partition, the condition fails, and all of them are decided again. If the answer to a
// write is lost, its outcome is found out before any caller gets an answer.
import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { CommitCounts } from '#base';
import { type Reads, type Row, StoreError } from '#store';
import type { Fence } from './fences.js';
import type { GapChange } from './gaps.js';
import { decideGroup, type GroupRows, type Waiting } from './group.js';
import type { Change, GapsTick, Partition, RangeRows } from './partition.js';

/** Returns a tick later than the fence, and not before the clock's. */
type NextTick = (fence: Fence) => Promise<bigint>;

const GROUP_MAX = 1000;
/** Keys that one read names: initially, and at most where the rows are small. */
const KEYS_FIRST = 200;
const KEYS_MAX = 1000;
/** Bytes of the rows that a group read; the next one names fewer keys after more, and more after far fewer. */
const READ_BYTES = 4 * 1024 * 1024;
/** A range may be unbounded; an answer is not. */
const PAGE_ROWS = 1000;
/** Gaps of a partition; all are read again after another process changed one. */
const GAPS_MAX = 1000;
/** How long a group contends with commits of other processes; clients wait about as long. */
const PATIENCE_MS = 30_000;
/** Part of a group's time that the next one waits for callers who just got their answers. */
const GATHER = 0.5;
/** A group that others contended with, or whose answer was lost, takes up to 30 seconds. */
const GATHER_MS_MAX = 500;
const PAUSE_MS = 4;
const PAUSE_MS_MAX = 250;
const ID_BYTES = 16;
/** A commit whose outcome is still unknown by then is reported as such. */
const UNCLEAR_MS_MAX = 10_000;

interface Told {
  readonly counts: CommitCounts;
  /** The condition of a write did not hold. */
  conflict(): void;
  /** The answer to a write was lost. */
  unclear(): void;
  /** Nothing waits any more. */
  ended(): void;
}

const isRange = ({ reads }: Waiting): boolean => reads.range !== undefined;

export class PartitionCommits {
  readonly #name: string;
  readonly #partition: Partition;
  readonly #nextTick: NextTick;
  readonly #waiting: Waiting[] = [];
  readonly #told: Told;
  #keysMax = KEYS_FIRST;
  /** Where a vacuum should begin. */
  #dead: string | undefined;
  #running: Promise<void> | undefined;
  /** Number of waiting commits if all callers of the last group commit again. */
  #expected = 0;
  /** Looks whether they are there, while a group waits for them. */
  #look: (() => void) | undefined;

  constructor(name: string, partition: Partition, nextTick: NextTick, told: Told) {
    this.#name = name;
    this.#partition = partition;
    this.#nextTick = nextTick;
    this.#told = told;
  }

  /** Resolves when nothing waits and nothing is in flight; undefined if that is so now. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  add(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#look?.();
    this.#running ??= this.#run();
  }

  /** Runs between commits. After a failure, the next read that meets the dead rows tries again. */
  vacuum(from: string): void {
    this.#dead ??= from;
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    // Commits of this event-loop turn are in the first group.
    await undefined;
    while (this.#waiting.length > 0 || this.#dead !== undefined) {
      if (this.#dead !== undefined) await this.#vacuum(this.#dead).catch(() => undefined);
      if (this.#waiting.length === 0) continue;
      const group = this.#waiting.splice(0, this.#groupSize());
      const start = performance.now();
      try {
        const done = await this.#commit(group);
        this.#waiting.unshift(...group.slice(done));
      } catch (error) {
        this.#told.counts.failures += 1;
        this.#expected = 0;
        for (const { reject } of group) reject(error);
      }
      await nextTurn();
      if (!group.some(isRange)) await this.#gather(performance.now() - start);
    }
    this.#running = undefined;
    this.#told.ended();
  }

  /**
   * Callers who just got answers often commit again at once, and belong in one group with those that waited: a group's
   * time hardly depends on its size, and otherwise two groups of half the size take turns. `took` is
   * the last group's time.
   */
  async #gather(took: number): Promise<void> {
    const [next] = this.#waiting;
    const isFull = this.#groupSize() < this.#waiting.length;
    if (next === undefined || isRange(next) || isFull || this.#waiting.length >= this.#expected) return;
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, Math.min(took * GATHER, GATHER_MS_MAX));
      this.#look = () => {
        if (this.#waiting.length < this.#expected) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.#look = undefined;
  }

  /**
   * How many of those that wait are in the next group. A commit that reads a range is alone: other commits of the group
   * might change rows in its range.
   */
  #groupSize(): number {
    let count = 0;
    let keys = 0;
    for (const waiting of this.#waiting) {
      keys += waiting.reads.keys.length;
      if (count > 0 && (isRange(waiting) || keys > this.#keysMax || count === GROUP_MAX)) break;
      count += 1;
      if (isRange(waiting)) break;
    }
    return count;
  }

  /** Resolves with how many of them were done. */
  async #commit(group: readonly Waiting[]): Promise<number> {
    const start = performance.now();
    const giveUp = start + PATIENCE_MS;
    for (let attempt = 0; attempt === 0 || performance.now() < giveUp; attempt++) {
      if (attempt > 0) await sleep(Math.random() * Math.min(PAUSE_MS_MAX, PAUSE_MS * 2 ** attempt));
      const rows = await this.#read(group);
      if (rows === undefined) continue;
      const { told, to, puts, deletes } = decideGroup(
        this.#name,
        group,
        rows,
        await this.#nextTick(rows.fence),
      );
      const gaps = await this.#gapsWith(puts, rows.gaps);
      const isChange = puts.length + deletes.length > 0;
      const id = randomBytes(ID_BYTES);
      if (isChange && !(await this.#write({ id, from: rows.fence, to, puts, deletes, gaps }))) continue;
      if (isChange) this.#told.counts.done(told.length, start);
      this.#expected = this.#waiting.length + told.length;
      for (const tell of told) tell();
      return told.length;
    }
    throw new StoreError('conflict', 'Other processes kept changing the partition.');
  }

  /** Undefined if the partition changed between reading its keys and its range. */
  async #read(group: readonly Waiting[]): Promise<GroupRows | undefined> {
    const named = group.flatMap(({ reads }) => reads.keys);
    const { fence, gaps, rows: keys } = await this.#partition.readKeys(named);
    this.#fitKeys(keys);
    const asked = group[0]?.reads.range;
    if (asked === undefined || asked.rows === 0) return { fence, gaps, keys, range: [] };
    const range = await this.#readRange(asked);
    // A commit with changes is checked by its condition; one without must also have seen a single state.
    if ((await this.#partition.readKeys([])).fence !== fence) return undefined;
    return { fence, gaps, keys, range };
  }

  #fitKeys(rows: GroupRows['keys']): void {
    const bytes = [...rows.values()].reduce((sum, { value }) => sum + value.length, 0);
    if (bytes > READ_BYTES) this.#keysMax = Math.max(KEYS_FIRST, this.#keysMax / 2);
    else if (bytes < READ_BYTES / 2) this.#keysMax = Math.min(KEYS_MAX, this.#keysMax * 2);
  }

  async #readRange({ from, until, rows: count }: NonNullable<Reads['range']>): Promise<readonly Row[]> {
    const range: Row[] = [];
    let next: string | undefined = from;
    do {
      const size = Math.min(count - range.length, PAGE_ROWS);
      const page: RangeRows = await this.#partition.readRange(next, until, size);
      range.push(...page.rows);
      next = page.next;
    } while (next !== undefined && range.length < count);
    return range;
  }

  async #gapsWith(puts: Change['puts'], tick: GapsTick): Promise<GapChange | undefined> {
    if (tick === undefined || puts.length === 0) return undefined;
    return (await this.#partition.gapsOf(tick)).withRows(puts.map(({ key }) => key));
  }

  async #vacuum(from: string): Promise<void> {
    this.#dead = undefined;
    const found = await this.#partition.readDead(from);
    if (found === undefined || found.list.count >= GAPS_MAX) return;
    const { gap: emptied, ...gaps } = found.list.withGap(found.gap);
    const to = await this.#nextTick(found.fence);
    const id = randomBytes(ID_BYTES);
    const isDone = await this.#write({ id, from: found.fence, to, puts: [], deletes: [], gaps, emptied });
    if (isDone && found.isMore) this.#dead ??= emptied.until;
  }

  /** False if it did not happen. */
  async #write(change: Change): Promise<boolean> {
    const answer = await this.#partition.write(change);
    if (answer.kind === 'refused') this.#told.conflict();
    if (answer.kind === 'unclear') this.#told.unclear();
    const isDone = answer.kind === 'unclear' ? await this.#findOut(change) : answer.kind === 'applied';
    if (isDone && change.gaps !== undefined) this.#partition.keepGaps({ tick: change.to, ...change.gaps });
    return isDone;
  }

  /**
   * A write whose answer was lost may wait in the buffer of a stalled node, and happen later. So if neither its outcome
   * is there nor the fence has moved, this moves the fence past it: after that it cannot happen.
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
        // A fault of the request itself is permanent.
        if (!(error instanceof StoreError)) throw error;
        cause = error;
      }
    }
    throw new StoreError('busy', 'It could not be found out whether the commit happened.', cause);
  }
}
