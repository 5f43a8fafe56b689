// The statements on one partition of a space: reads of named keys and of a range, each with the fence, and the one
// conditional write that a commit is. Dead rows and gaps are hidden here: callers see rows. partition-commits.ts
// decides when to use the statements.
import type { Row } from '#store';
import { bucketOf } from '../layout/bucket.js';
import {
  DEAD,
  DELETE_GAP,
  DELETE_ROWS,
  ENTER_PARTITION,
  KILL_ROW,
  MOVE_FENCE,
  MOVE_FENCE_AND_GAPS,
  OUTCOME,
  PUT_GAP,
  PUT_OUTCOME,
  PUT_ROW,
  PUT_SENTINEL,
  READ_FROM,
  READ_GAPS,
  READ_KEYS,
  READ_UNTIL,
  READ_VERSIONS,
  ROW,
  SENTINEL,
} from '../layout/schema.js';
import { decodeText, encodeText } from '../layout/text.js';
import type { Answer, Columns, Page, Pair, Session, Statement } from '../session/session.js';
import { after, deadAtStart, deadFrom, isLive } from './dead-rows.js';
import type { Fence, Fences } from './fences.js';
import { type Gap, type GapCache, type GapChange, GapList, type KnownGaps } from './gaps.js';

/** The tick of the last commit that changed the gaps; undefined if none did. */
export type GapsTick = bigint | undefined;

const NO_KEY = Buffer.alloc(0);
const SENTINEL_PAIR: Pair = { kind: SENTINEL, key: NO_KEY };
const NO_GAPS = new GapList();
const NO_PAGE: Page = { rows: [], state: undefined };
/** After this many reads that met unknown gaps, one read ignores gaps. */
const LOOKS_MAX = 3;
const VACUUM_ROWS = 1000;

interface KeyedRows {
  readonly fence: Fence;
  readonly gaps: GapsTick;
  readonly rows: ReadonlyMap<string, Row>;
}

export interface RangeRows {
  /** Undefined if no row is there that carries it. */
  readonly fence: Fence;
  readonly rows: readonly Row[];
  /** Where the next page begins; undefined after the last. */
  readonly next: string | undefined;
}

export interface DeadRows {
  readonly fence: bigint;
  readonly gap: Gap;
  readonly list: GapList;
  /** Whether more rows may follow. */
  readonly isMore: boolean;
}

/** Everything that a commit changes: final images. */
export interface Change {
  /** Unique among all commits. */
  readonly id: Buffer;
  readonly from: Fence;
  readonly to: bigint;
  readonly puts: readonly { readonly key: string; readonly version: bigint; readonly value: Buffer }[];
  readonly deletes: readonly string[];
  readonly gaps?: GapChange | undefined;
  /** Where dead rows go. None of the keys of `puts` is in it. */
  readonly emptied?: Gap | undefined;
}

export interface PartitionHost {
  readonly session: Session;
  readonly gaps: GapCache;
  readonly fences: Fences;
  /** Called when there are enough dead rows for a gap: `least` of them in a row. */
  readonly dead: { readonly least: number; found(sid: bigint, partition: string, from: string): void };
}

export class Partition {
  /** Unique to the partition. */
  readonly place: string;
  readonly #host: PartitionHost;
  readonly #sid: bigint;
  readonly #name: string;
  readonly #bytes: Buffer;

  constructor(host: PartitionHost, sid: bigint, name: string) {
    this.place = `${sid} ${name}`;
    this.#host = host;
    this.#sid = sid;
    this.#name = name;
    this.#bytes = encodeText(name);
  }

  /** From one state of the partition. */
  async readKeys(keys: readonly string[]): Promise<KeyedRows> {
    const pairs = [...new Set(keys)].map((key): Pair => ({ kind: ROW, key: encodeText(key) }));
    const { rows } = await this.#read(this.#of(READ_KEYS, [SENTINEL_PAIR, ...pairs]));
    const found = rows
      .filter(row => row.integer('kind') === ROW)
      .map(row => this.#rowOf(row))
      .filter(isLive);
    return {
      fence: rows[0]?.long('fence'),
      gaps: rows[0]?.long('gaps'),
      rows: new Map(found.map(row => [row.key, row])),
    };
  }

  /**
   * A page, from one state of the partition; `until` bounds the keys, half-open. It ends before a gap, and may have
   * fewer rows than `size`, or none.
   */
  async readRange(from: string, until: string | undefined, size: number): Promise<RangeRows> {
    for (let look = 0; ; look++) {
      const known = look === LOOKS_MAX ? undefined : this.#host.gaps.get(this.place);
      const start = known?.list.at(from)?.until ?? from;
      const end = lesser(until, known?.list.behind(start)?.from);
      const page = end !== undefined && start >= end ? NO_PAGE : await this.#readRows(start, end, size);
      const [first] = page.rows;
      const isSkipping = start !== from;
      const gaps = first ? first.long('gaps') : isSkipping ? (await this.readKeys([])).gaps : known?.tick;
      if (gaps !== known?.tick) {
        await this.gapsOf(gaps);
        if (isSkipping) continue;
      }
      return this.#rangeOf(page, start, end === until ? undefined : end);
    }
  }

  /** Dead rows at the beginning of a range, if they are enough for a gap, without existing gaps. */
  async readDead(from: string): Promise<DeadRows | undefined> {
    const { fence, gaps } = await this.readKeys([]);
    if (fence === undefined) return undefined;
    const list = await this.gapsOf(gaps);
    const start = list.at(from)?.until ?? from;
    const { rows } = await this.#read(this.#of(READ_VERSIONS, encodeText(start)), VACUUM_ROWS);
    if (rows[0]?.long('fence') !== fence) return undefined;
    const dead = deadAtStart(rows.map(row => this.#rowOf(row)));
    const last = dead.at(-1);
    if (last === undefined || dead.length < this.#host.dead.least) return undefined;
    return {
      fence,
      gap: { from: start, until: after(last.key) },
      list,
      isMore: dead.length === VACUUM_ROWS,
    };
  }

  /** The gaps as of that tick, or later: a commit that was decided on an earlier fence is then refused. */
  async gapsOf(tick: GapsTick): Promise<GapList> {
    if (tick === undefined) return NO_GAPS;
    const known = this.#host.gaps.get(this.place);
    if (known?.tick === tick) return known.list;
    const gaps: Gap[] = [];
    let state: string | undefined;
    do {
      const page = await this.#host.session.readSerial(this.#of(READ_GAPS), { size: VACUUM_ROWS, state });
      for (const row of page.rows)
        gaps.push({ from: decodeText(row.bytes('rk')), until: decodeText(row.bytes('value')) });
      state = page.state;
    } while (state !== undefined);
    const list = new GapList(gaps);
    this.#host.gaps.set(this.place, { tick, list });
    return list;
  }

  keepGaps(gaps: KnownGaps): void {
    this.#host.gaps.set(this.place, { tick: gaps.tick, list: gaps.list });
  }

  /** The fence, and whether the commit with that id happened. */
  async readOutcome(id: Buffer): Promise<{ readonly fence: Fence; readonly isApplied: boolean }> {
    const pair: Pair = { kind: OUTCOME, key: id };
    const { rows } = await this.#host.session.readSerial(this.#of(READ_KEYS, [SENTINEL_PAIR, pair]));
    return { fence: rows[0]?.long('fence'), isApplied: rows.some(row => row.integer('kind') === OUTCOME) };
  }

  /** Registers the partition in the directory before its first commit. */
  async write({ id, from, to, puts, deletes, gaps, emptied }: Change): Promise<Answer> {
    if (from === undefined)
      await this.#host.session.write({
        query: ENTER_PARTITION,
        params: [this.#sid, bucketOf(this.#bytes), this.#bytes],
      });
    const where = [this.#sid, this.#bytes, from ?? null];
    const answered = this.#host.session.writeIf([
      gaps === undefined
        ? { query: MOVE_FENCE, params: [to, ...where] }
        : { query: MOVE_FENCE_AND_GAPS, params: [to, to, ...where] },
      ...(from === undefined ? [this.#of(PUT_SENTINEL)] : []),
      ...puts.map(({ key, version, value }) => this.#of(PUT_ROW, encodeText(key), version, value)),
      ...deletes.map(key => this.#of(KILL_ROW, encodeText(key))),
      ...(gaps?.puts ?? []).map(gap => this.#of(PUT_GAP, encodeText(gap.from), encodeText(gap.until))),
      ...(gaps?.deletes ?? []).map(start => this.#of(DELETE_GAP, encodeText(start))),
      ...(emptied === undefined
        ? []
        : [this.#of(DELETE_ROWS, encodeText(emptied.from), encodeText(emptied.until))]),
      this.#of(PUT_OUTCOME, id),
    ]);
    return this.#host.fences.watch(this.place, from, to, answered);
  }

  #readRows(start: string, end: string | undefined, size: number): Promise<Page> {
    const statement =
      end === undefined
        ? this.#of(READ_FROM, encodeText(start))
        : this.#of(READ_UNTIL, encodeText(start), encodeText(end));
    return this.#read(statement, size);
  }

  /**
   * Rows with their fence, linearizable: by a majority read where that is enough (fences.ts), otherwise with a round of
   * Paxos.
   */
  async #read(statement: Statement, size?: number): Promise<Page> {
    const { session, fences } = this.#host;
    const page = size === undefined ? undefined : { size };
    const known = fences.get(this.place);
    if (known !== undefined) {
      const shown = await session.read(statement, page);
      if (await fences.holds(this.place, known, shown.rows[0]?.long('fence'))) return shown;
    }
    const shown = await session.readSerial(statement, page);
    const fence = shown.rows[0]?.long('fence');
    if (fence !== undefined) fences.note(this.place, fence);
    return shown;
  }

  /** `behind` is where the range continues after the last of these pages. */
  #rangeOf({ rows, state }: Page, start: string, behind: string | undefined): RangeRows {
    const stored = rows.map(row => this.#rowOf(row));
    const { dead } = this.#host;
    const found = deadFrom(stored, start, dead.least);
    if (found !== undefined) dead.found(this.#sid, this.#name, found);
    const last = stored.at(-1);
    return {
      fence: rows[0]?.long('fence'),
      rows: stored.filter(isLive),
      next: state !== undefined && last !== undefined ? after(last.key) : behind,
    };
  }

  #of(query: string, ...params: Statement['params']): Statement {
    return { query, params: [this.#sid, this.#bytes, ...params] };
  }

  #rowOf(columns: Columns): Row {
    return {
      partition: this.#name,
      key: decodeText(columns.bytes('rk')),
      version: columns.long('version') ?? DEAD,
      value: columns.bytes('value'),
    };
  }
}

const lesser = (a: string | undefined, b: string | undefined): string | undefined =>
  a === undefined || (b !== undefined && b < a) ? b : a;
