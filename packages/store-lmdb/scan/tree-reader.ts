// Chooses how a scan reads the trees of rows: by pages of the data file, or with the `lmdb` package's cursor where those cannot be had.
import { ROW_TREES } from '../layout/rows.js';
import type { LastTransaction } from '../lmdb/last-transaction.js';
import type { Transaction } from '../lmdb/lmdb.js';
import { isWorthPages } from './page-choice.js';
import { PageCursor } from './page-cursor.js';
import type { OpenRange } from './row-cursor.js';
import { Snapshots } from './snapshot.js';

export class TreeReader {
  readonly #snapshots: Snapshots | undefined;

  /** `last` is of the file at `path`, and open as long as scans are. Without `readsPages` all is read with the cursor. */
  constructor(last: LastTransaction, path: string, readsPages = true) {
    this.#snapshots = readsPages ? new Snapshots(last, path, ROW_TREES) : undefined;
  }

  /** The state of one moment, for as long as the read transaction is held: that of the transaction, or a later one. */
  within(transaction: Transaction): OpenRange {
    const newest = this.#snapshots?.newest();
    if (newest === undefined) return (tree, range) => tree.range(range, transaction);
    const { snapshot, roots } = newest;
    // All trees of a scan are read in one way, since the transaction's state may be an earlier one.
    let byPages: boolean | undefined;
    return (tree, range) => {
      const root = roots.get(tree.name);
      byPages ??= isWorthPages(snapshot, root, range);
      return byPages ? new PageCursor(snapshot, root, range) : tree.range(range, transaction);
    };
  }
}
