// Where rows come from, for every tool alike: a table over the wire (table.ts) or in a dump (dump/dump-rows.ts). Rows come in the order of their keys, each once.
//
//   for await (const page of source.pages('orders')) for (const row of page) …
//
// A page is what is there at once: as short as one row, never empty, and at most a few MiB. Who stops early ends the iteration, which frees what it held.
import type { Row } from '../line/row.js';
import type { KeyRange } from './key-range.js';

export interface RowSource {
  /** What messages call it; without a secret. */
  readonly name: string;
  /** The tables that are there, in order. @throws ToolError denied, where a SAS does not list. */
  tables(): Promise<readonly string[]>;
  /** @throws ToolError notThere, where the table is not. */
  pages(table: string, range?: KeyRange): AsyncIterable<readonly Row[]>;
}
