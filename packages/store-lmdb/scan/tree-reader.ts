// Chooses how a scan reads the trees of rows: in the pages of the data file, or with the `lmdb` package's cursor where
// the pages are not available.
import { ROW_TREES } from '../layout/rows.js';
import type { FileMap } from '../lmdb/file-map.js';
import type { LastTransaction } from '../lmdb/last-transaction.js';
import type { Transaction } from '../lmdb/lmdb.js';
import { PageCursor } from './page-cursor.js';
import type { OpenRange } from './row-cursor.js';
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
