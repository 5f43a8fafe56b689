// The random choice of a writer's next step: every kind of write, alone and in transactions, on the writer's own rows.
import type { Random } from '../../simulation/plan/random.js';
import type { Image } from '../history.js';
import { etagOf } from '../tick.js';
import { type Change, type Method, type Properties, pathOf, propertiesOf, type RowName } from './request.js';

/** Rows of one writer. */
const ROWS = 12;
const TABLE = 'crash';
/** Writers share partitions, so that their commits are grouped with those of others. */
const PARTITIONS = 3;
const TRANSACTION_CHANGES_MAX = 8;
/** Strings may have 32 Ki characters. Large ones have pages of their own in the file and make it grow. */
const LARGE_CHARACTERS_MAX = 30_000;
const SMALL_CHARACTERS_MAX = 200;

export type State = ReadonlyMap<string, Image>;

/** A write, or a transaction, and whether it is one that must be refused because its ETag is an old one. */
export interface Choice {
  readonly changes: readonly Change[];
  readonly isStale: boolean;
}

export class Chooser {
  readonly #slot: number;
  readonly #random: Random;
  #count = 0;

  constructor(slot: number, random: Random) {
    this.#slot = slot;
    this.#random = random;
  }

  choose(state: State): Choice {
    const random = this.#random;
    if (random.happens(0.05)) {
      const stale = this.#stale(state);
      if (stale !== undefined) return { changes: [stale], isStale: true };
    }
    const count = random.happens(0.3) ? random.between(2, TRANSACTION_CHANGES_MAX) : 1;
    const rows = random.some(
      Array.from({ length: ROWS }, (_, row) => row),
      count,
    );
    return { changes: rows.map(row => this.#change(row, state)), isStale: false };
  }

  /** Writes every row anew, whatever it is. */
  rewriteAll(): Change[] {
    return Array.from({ length: ROWS }, (_, row) => {
      const properties = this.#properties();
      return { method: 'PUT', name: this.#name(row), ifMatch: undefined, properties, after: properties };
    });
  }

  #name(row: number): RowName {
    return { table: TABLE, partition: `p${this.#slot % PARTITIONS}`, row: `s${this.#slot}-${row}` };
  }

  #change(row: number, state: State): Change {
    const name = this.#name(row);
    const image = state.get(pathOf(name));
    const before = propertiesOf(image);
    const properties = this.#properties();
    if (image === undefined || before === undefined) {
      const method = this.#random.pick<Method>(['POST', 'POST', 'PUT', 'PATCH']);
      return { method, name, ifMatch: undefined, properties, after: properties };
    }
    const method = this.#random.pick<Method>(['PUT', 'PATCH', 'PATCH', 'DELETE']);
    const conditions: { readonly ifMatch: string | undefined }[] = [{ ifMatch: '*' }];
    if (image.tick !== undefined) conditions.push({ ifMatch: etagOf(image.tick) });
    if (method !== 'DELETE') conditions.push({ ifMatch: undefined });
    const { ifMatch } = this.#random.pick(conditions);
    const after = {
      PUT: properties,
      PATCH: { ...before, ...properties },
      DELETE: undefined,
      POST: undefined,
    };
    return { method, name, ifMatch, properties, after: after[method] };
  }

  #stale(state: State): Change | undefined {
    const name = this.#name(this.#random.below(ROWS));
    const tick = state.get(pathOf(name))?.tick;
    if (tick === undefined) return undefined;
    const properties = this.#properties();
    return { method: 'PATCH', name, ifMatch: etagOf(tick - 1n), properties, after: undefined };
  }

  /** `n` distinguishes the writes of this writer. */
  #properties(): Properties {
    this.#count += 1;
    const most = this.#random.happens(0.08) ? LARGE_CHARACTERS_MAX : SMALL_CHARACTERS_MAX;
    const text = `${this.#count}`.padEnd(this.#random.below(most), 'ab');
    return { n: this.#count, [this.#random.pick(['a', 'b', 'c'])]: text };
  }
}
