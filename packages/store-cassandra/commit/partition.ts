// The statements on one partition of a space: reads of named keys and of a range, each with the fence, and the one conditional write that a commit is. When to
// use them is partition-commits.ts's.
import type { Row } from '#store';
import { bucketOf } from '../layout/bucket.js';
import {
  DELETE_ROW,
  ENTER_PARTITION,
  MOVE_FENCE,
  OUTCOME,
  PUT_OUTCOME,
  PUT_ROW,
  PUT_SENTINEL,
  READ_FROM,
  READ_KEYS,
  READ_UNTIL,
  ROW,
  SENTINEL,
} from '../layout/schema.js';
import { decodeText, encodeText } from '../layout/text.js';
import type { Answer, Columns, Pair, Session, Statement } from '../session/session.js';

/** The tick of a partition's last commit; undefined before the first. */
export type Fence = bigint | undefined;

const NO_KEY = Buffer.alloc(0);
const SENTINEL_PAIR: Pair = { kind: SENTINEL, key: NO_KEY };

export interface KeyedRows {
  readonly fence: Fence;
  readonly rows: ReadonlyMap<string, Row>;
}

export interface RangeRows {
  /** Undefined where no row is there to tell it. */
  readonly fence: Fence;
  readonly rows: readonly Row[];
  readonly state: string | undefined;
}

/** All that a commit changes: final images. */
export interface Change {
  /** Unlike that of any other commit. */
  readonly id: Buffer;
  readonly from: Fence;
  readonly to: bigint;
  readonly puts: readonly { readonly key: string; readonly version: bigint; readonly value: Buffer }[];
  readonly deletes: readonly string[];
}

export class Partition {
  readonly #session: Session;
  readonly #sid: bigint;
  readonly #name: string;
  readonly #bytes: Buffer;

  constructor(session: Session, sid: bigint, name: string) {
    this.#session = session;
    this.#sid = sid;
    this.#name = name;
    this.#bytes = encodeText(name);
  }

  /** In one state of the partition. */
  async readKeys(keys: readonly string[]): Promise<KeyedRows> {
    const pairs = [...new Set(keys)].map((key): Pair => ({ kind: ROW, key: encodeText(key) }));
    const { rows } = await this.#session.readSerial(this.#of(READ_KEYS, [SENTINEL_PAIR, ...pairs]));
    const found = rows.filter(row => row.integer('kind') === ROW).map(row => this.#rowOf(row));
    return { fence: rows[0]?.long('fence'), rows: new Map(found.map(row => [row.key, row])) };
  }

  /** A page, in one state of the partition; `until` bounds the keys, half-open. */
  async readRange(from: string, until: string | undefined, size: number, state?: string): Promise<RangeRows> {
    const start = encodeText(from);
    const statement =
      until === undefined ? this.#of(READ_FROM, start) : this.#of(READ_UNTIL, start, encodeText(until));
    const page = await this.#session.readSerial(statement, { size, state });
    return {
      fence: page.rows[0]?.long('fence'),
      rows: page.rows.map(row => this.#rowOf(row)),
      state: page.state,
    };
  }

  /** The fence, and whether the commit of that id happened. */
  async readOutcome(id: Buffer): Promise<{ readonly fence: Fence; readonly isApplied: boolean }> {
    const pair: Pair = { kind: OUTCOME, key: id };
    const { rows } = await this.#session.readSerial(this.#of(READ_KEYS, [SENTINEL_PAIR, pair]));
    return { fence: rows[0]?.long('fence'), isApplied: rows.some(row => row.integer('kind') === OUTCOME) };
  }

  /** Enters the partition in the directory before its first commit. */
  async write({ id, from, to, puts, deletes }: Change): Promise<Answer> {
    if (from === undefined)
      await this.#session.write({
        query: ENTER_PARTITION,
        params: [this.#sid, bucketOf(this.#bytes), this.#bytes],
      });
    return this.#session.writeIf([
      { query: MOVE_FENCE, params: [to, this.#sid, this.#bytes, from ?? null] },
      ...(from === undefined ? [this.#of(PUT_SENTINEL)] : []),
      ...puts.map(({ key, version, value }) => this.#of(PUT_ROW, encodeText(key), version, value)),
      ...deletes.map(key => this.#of(DELETE_ROW, encodeText(key))),
      this.#of(PUT_OUTCOME, id),
    ]);
  }

  #of(query: string, ...params: Statement['params']): Statement {
    return { query, params: [this.#sid, this.#bytes, ...params] };
  }

  #rowOf(columns: Columns): Row {
    return {
      partition: this.#name,
      key: decodeText(columns.bytes('rk')),
      version: columns.long('version') ?? 0n,
      value: columns.bytes('value'),
    };
  }
}
