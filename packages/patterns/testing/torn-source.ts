// A model of the service for reads: rows in order, filters by evaluate.ts, and pages that end at random, also before any row: as the real ones may after
// five seconds or where a partition ends.
import { evaluate, readerOf } from '../model/filter/evaluate.js';
import { parseFilter } from '../model/filter/parse-filter.js';
import type { RowSource } from '../transport/row-source.js';
import { readRow, type WireObject } from '../values/read-wire.js';
import { type WireRow, wireText } from '../values/wire-property.js';

const PAGE_MAX = 1000;

const byKeys = (a: WireRow, b: WireRow): number => {
  if (a.partitionKey !== b.partitionKey) return a.partitionKey < b.partitionKey ? -1 : 1;
  return a.rowKey < b.rowKey ? -1 : 1;
};

function projected(row: WireObject, select: readonly string[] | undefined): WireObject {
  if (select === undefined) return row;
  const entries = select.flatMap(name => {
    const type = `${name}@odata.type`;
    const value = row[name] ?? null;
    return type in row
      ? [
          [type, row[type]],
          [name, value],
        ]
      : [[name, value]];
  });
  return Object.fromEntries([['odata.etag', row['odata.etag']], ...entries]);
}

export class TornSource implements RowSource {
  /** Requests so far. */
  count = 0;
  readonly #rows: readonly WireObject[];
  readonly #chance: () => number;

  /** `chance` gives numbers from 0 up to 1. */
  constructor(rows: readonly WireRow[], chance: () => number) {
    this.#rows = [...rows]
      .sort(byKeys)
      .map((row, at) => ({ ...readRow(wireText(row)), 'odata.etag': `W/"${at}"` }));
    this.#chance = chance;
  }

  get: RowSource['get'] = async ({ partitionKey, rowKey }, { select, signal } = {}) => {
    signal?.throwIfAborted();
    this.count++;
    const row = this.#rows.find(each => each.PartitionKey === partitionKey && each.RowKey === rowKey);
    return row && { row: projected(row, select), etag: String(row['odata.etag']) };
  };

  queryPage: RowSource['queryPage'] = async ({ filter = '', select, top = PAGE_MAX, next, signal }) => {
    signal?.throwIfAborted();
    this.count++;
    const condition = parseFilter(filter);
    const begin = next === undefined ? 0 : Number(next.partitionKey);
    const looked = Math.floor(this.#chance() * (this.#rows.length + 2));
    const rows: WireObject[] = [];
    let at = begin;
    for (; at < this.#rows.length && at - begin < looked && rows.length < top; at++) {
      const row = this.#rows[at];
      if (row !== undefined && evaluate(condition, readerOf(row))) rows.push(projected(row, select));
    }
    const isEnd = at >= this.#rows.length;
    return { rows, next: isEnd ? undefined : { partitionKey: String(at), rowKey: undefined } };
  };
}
