// Walks the current rows of a range: those of the tree, with durable changes that are not in it applied. Both come in
// order; overlay.ts selects the changes, page-walk.ts takes the rows.
import { copyRow, inPlace, type Row, type RowInPlace } from '#store';
import { type Change, rowOf } from '../overlay.js';
import type { RowSource } from './page-walk.js';

export class MergedCursor implements RowSource {
  row: RowInPlace;
  readonly #tree: RowSource;
  readonly #changes: readonly Change[];
  /** Index of the first change that was not reached. */
  #next = 0;
  /** The tree's row that is not reached, or is the current one; undefined if the tree has to be asked for the next. */
  #treeRow: RowInPlace | undefined;
  #isTreeAtEnd = false;

  /** `changes` are of the same range, in the order of rows, at most one per row; they have to stay as they are. */
  constructor(tree: RowSource, changes: readonly Change[]) {
    this.row = tree.row;
    this.#tree = tree;
    this.#changes = changes;
  }

  /** Moves to the next row; false at the end. */
  next(isReadWhole = false): boolean {
    if (this.row === this.#treeRow) this.#treeRow = undefined;
    for (;;) {
      const treeRow = this.#nextOfTree(isReadWhole);
      const change = this.#changes[this.#next];
      const order = change === undefined || treeRow === undefined ? 0 : compare(treeRow, change);
      if (treeRow !== undefined && (change === undefined || order < 0)) {
        this.row = treeRow;
        return true;
      }
      if (change === undefined) return false;
      this.#next += 1;
      if (order === 0) this.#treeRow = undefined;
      if (this.#show(change)) return true;
    }
  }

  close(): void {
    this.#tree.close();
    this.#treeRow = undefined;
    this.#isTreeAtEnd = true;
    this.#next = this.#changes.length;
  }

  #nextOfTree(isReadWhole: boolean): RowInPlace | undefined {
    if (this.#treeRow !== undefined || this.#isTreeAtEnd) return this.#treeRow;
    if (this.#tree.next(isReadWhole)) this.#treeRow = this.#tree.row;
    else this.#isTreeAtEnd = true;
    return this.#treeRow;
  }

  /** False if the change removes the row. */
  #show(change: Change): boolean {
    const row = rowOf(change);
    if (row === undefined) return false;
    // The tree's row has to wait, and its memory is valid only until the next call of any tree.
    if (this.#treeRow === this.#tree.row) this.#treeRow = inPlace(copyRow(this.#tree.row));
    this.row = inPlace(row);
    return true;
  }
}

/** Negative if the row is before the change, 0 if the change is the row's, positive if it is after. */
function compare(row: Row, { key: [, partition, key] }: Change): number {
  const rowPartition = row.partition;
  if (rowPartition !== partition) return rowPartition < partition ? -1 : 1;
  const rowKey = row.key;
  if (rowKey === key) return 0;
  return rowKey < key ? -1 : 1;
}
