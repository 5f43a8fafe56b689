// The gaps of a partition: ranges of keys with neither a row nor a dead row. This file has the changes that a put or a
// vacuum makes to them, and what this process knows about each partition's gaps, by the tick of the commit that changed
// them last.

/** Half-open. */
export interface Gap {
  readonly from: string;
  readonly until: string;
}

/** The changes of a commit: gaps are identified by where they begin. */
export interface GapChange {
  readonly list: GapList;
  readonly puts: readonly Gap[];
  readonly deletes: readonly string[];
}

/** In order; none overlap. */
export class GapList {
  readonly #gaps: readonly Gap[];

  constructor(gaps: readonly Gap[] = []) {
    this.#gaps = gaps;
  }

  get count(): number {
    return this.#gaps.length;
  }

  /** The gap with the key. */
  at(key: string): Gap | undefined {
    const before = this.#gaps[this.#countUntil(key) - 1];
    return before !== undefined && key < before.until ? before : undefined;
  }

  /** The first gap that begins after the key. */
  behind(key: string): Gap | undefined {
    return this.#gaps[this.#countUntil(key)];
  }

  /** A row ends the gap that it falls into. */
  withRows(keys: readonly string[]): GapChange | undefined {
    const ends = new Map<Gap, string>();
    for (const key of keys) {
      const gap = this.at(key);
      const end = gap && ends.get(gap);
      if (gap !== undefined && (end === undefined || key < end)) ends.set(gap, key);
    }
    if (ends.size === 0) return undefined;
    const cut = this.#gaps.map(gap => ({ from: gap.from, until: ends.get(gap) ?? gap.until }));
    const changed = [...ends].map(([{ from }, until]) => ({ from, until }));
    return {
      list: new GapList(cut.filter(({ from, until }) => from < until)),
      puts: changed.filter(({ from, until }) => from < until),
      deletes: changed.filter(({ from, until }) => from === until).map(({ from }) => from),
    };
  }

  /** Merges with the gaps that it touches or overlaps. */
  withGap({ from, until }: Gap): GapChange & { readonly gap: Gap } {
    const touched = this.#gaps.filter(gap => gap.from <= until && gap.until >= from);
    const gap = {
      from: touched.reduce((least, other) => (other.from < least ? other.from : least), from),
      until: touched.reduce((most, other) => (other.until > most ? other.until : most), until),
    };
    const others = this.#gaps.filter(other => !touched.includes(other));
    const place = others.filter(other => other.from < gap.from).length;
    return {
      list: new GapList(others.toSpliced(place, 0, gap)),
      puts: [gap],
      deletes: touched.map(other => other.from).filter(start => start !== gap.from),
      gap,
    };
  }

  /** How many begin at the key or before it. */
  #countUntil(key: string): number {
    let low = 0;
    let high = this.#gaps.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#gaps[middle]?.from ?? key) <= key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export interface KnownGaps {
  readonly tick: bigint;
  readonly list: GapList;
}

const PARTITIONS_MAX = 1000;

/** The most recently read ones; a partition that is not here is read again. */
export class GapCache {
  readonly #known = new Map<string, KnownGaps>();

  get(place: string): KnownGaps | undefined {
    return this.#known.get(place);
  }

  set(place: string, known: KnownGaps): void {
    this.#known.delete(place);
    this.#known.set(place, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > PARTITIONS_MAX && oldest !== undefined) this.#known.delete(oldest);
  }
}
