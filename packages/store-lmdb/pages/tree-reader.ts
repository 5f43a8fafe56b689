// Reads the trees of rows in the pages of the data file, in this process's memory: the door of this folder. The `lmdb`
// package copies each row and is called for each; a filter over 300,000 rows takes three times as long with it
// (docs/performance.md has the table).
//
// Safe: a read transaction is held for as long as pages are read, so LMDB does not overwrite them (snapshot.ts has the
// proof), and every offset that a page gives is checked against the page before it is used (tree-page.ts).
// A bad page is an EngineError `corrupt` that names it; the process never reads beyond the map.
// Off: where the map is not the file's memory (other systems than Linux), where a state cannot be read this way, and
// with `readsPages: false`. Then the package's own cursor reads.
import { type OpenRange, ROW_TREES } from '../layout/rows.js';
import type { FileMap } from '../lmdb/file-map.js';
import type { LastTransaction } from '../lmdb/last-transaction.js';
import type { Transaction } from '../lmdb/lmdb.js';
import { PageCursor } from './page-cursor.js';
import { Snapshots } from './snapshot.js';

export class TreeReader {
  readonly #snapshots: Snapshots | undefined;

  /**
   * `last` and `map` belong to the file at `path`, and stay open as long as scans do. Without a map all reads use the
   * cursor.
   */
  constructor(last: LastTransaction, map: FileMap | undefined, path: string) {
    this.#snapshots = map && new Snapshots(last, map, path, ROW_TREES);
  }

  /** The state of one moment, for as long as the read transaction is held: that of the transaction, or a later one. */
  within(transaction: Transaction): OpenRange {
    const newest = this.#snapshots?.newest();
    // All trees of a scan are read in the same way, since the transaction's state may be an earlier one.
    if (newest === undefined) return (tree, range) => tree.range(range, transaction);
    const { snapshot, roots } = newest;
    return (tree, range) => new PageCursor(snapshot, roots.get(tree.name), range);
  }
}
