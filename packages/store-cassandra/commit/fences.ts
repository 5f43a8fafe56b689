// The fences of partitions that this process knows. A majority read needs no round of Paxos if it began behind a known
// fence and shows it, while no other process has the store open: each commit up to the fence was whole in some copy
// that the read asked, and a later commit that this process has acknowledged would show its own fence. A read that sees
// any other fence is repeated serially. With other processes present that is not enough: a serial read of theirs may
// reveal a commit before it is on a majority.
import type { Answer } from '../session/session.js';

/** The tick of a partition's last commit; undefined before the first. */
export type Fence = bigint | undefined;

interface Known {
  /** What others had acknowledged before it is unknown. */
  readonly period: number;
  readonly fence: bigint;
  /** The previous fence, if a commit of this process moved it. */
  readonly before: Fence;
}

interface Moving {
  readonly from: Fence;
  readonly to: bigint;
  readonly isApplied: Promise<boolean>;
}

const PARTITIONS_MAX = 20_000;

export class Fences {
  readonly #alone: () => number | undefined;
  readonly #known = new Map<string, Known>();
  readonly #moving = new Map<string, Moving>();

  /**
   * `alone` returns the number of the period during which no other process has had the store open; undefined while one
   * may have.
   */
  constructor(alone: () => number | undefined) {
    this.#alone = alone;
  }

  /** The fence that a majority read may be compared with. */
  get(place: string): Fence {
    const known = this.#known.get(place);
    return known?.period === this.#alone() ? known?.fence : undefined;
  }

  /** Records what a serial read showed. */
  note(place: string, fence: bigint): void {
    this.#set(place, fence, undefined);
  }

  /** Whether a majority read is linearizable that began when `known` was known, and shows `shown`. */
  async holds(place: string, known: bigint, shown: Fence): Promise<boolean> {
    if (shown === known) return true;
    // A commit is whole in each copy that has its fence. So a read that saw an in-flight commit of this process is
    // right if that commit succeeds.
    const moving = this.#moving.get(place);
    if (moving !== undefined && moving.to === shown) return moving.from === known && (await moving.isApplied);
    const now = this.#known.get(place);
    return now !== undefined && now.fence === shown && now.before === known;
  }

  /** For the only commit of this process to the partition that is in flight. */
  async watch(place: string, from: Fence, to: bigint, answered: Promise<Answer>): Promise<Answer> {
    const isApplied = answered.then(
      ({ kind }) => kind === 'applied',
      () => false,
    );
    this.#moving.set(place, { from, to, isApplied });
    if (await isApplied) this.#set(place, to, from);
    else this.#known.delete(place);
    this.#moving.delete(place);
    return answered;
  }

  #set(place: string, fence: bigint, before: Fence): void {
    const period = this.#alone();
    if (period === undefined) return;
    const now = this.#known.get(place);
    // Fences only rise; an answer may arrive late.
    if (now?.period === period && now.fence >= fence) return;
    this.#known.delete(place);
    this.#known.set(place, { period, fence, before });
    const [oldest] = this.#known.keys();
    if (this.#known.size > PARTITIONS_MAX && oldest !== undefined) this.#known.delete(oldest);
  }
}
