// Walks the current rows of a range: those of the tree, with durable changes that are not in it applied. Both come in
// order; overlay.ts selects the changes, page-walk.ts takes the rows.
import { inPlace, type Row, type RowInPlace } from '#store';
import { type Change, rowOf } from '../overlay.js';
import type { RowSource } from './page-walk.js';

/** The tree's rows; one may have to wait while a change goes first. */
interface TreeRows extends RowSource {
  copy(): Row;
}

/** Used as a row, it is the current one in place, as with row-cursor.ts: valid until the next call of any tree. */
export class MergedCursor implements RowSource {
  readonly #tree: TreeRows;
  readonly #changes: readonly Change[];
  /** Index of the first change that was not reached. */
  #next = 0;
  /** The tree's row that is not reached, or is the current one; undefined if the tree has to be asked for the next. */
  #treeRow: RowInPlace | undefined;
  #isTreeAtEnd = false;
  #row: RowInPlace | undefined;

  /** `changes` are of the same range, in the order of rows, at most one per row; they have to stay as they are. */
  constructor(tree: TreeRows, changes: readonly Change[]) {
    this.#tree = tree;
    this.#changes = changes;
  }

  /** Moves to the next row; false at the end. */
  next(isReadWhole = false): boolean {
    if (this.#row !== undefined && this.#row === this.#treeRow) this.#treeRow = undefined;
    this.#row = undefined;
    for (;;) {
      const treeRow = this.#nextOfTree(isReadWhole);
      const change = this.#changes[this.#next];
      if (change === undefined) {
        this.#row = treeRow;
        return treeRow !== undefined;
      }
      const order = treeRow === undefined ? 1 : compare(treeRow, change);
      if (order < 0) {
        this.#row = treeRow;
        return true;
      }
      this.#next += 1;
      if (order === 0) this.#treeRow = undefined;
      if (this.#show(change)) return true;
    }
  }

  get partition(): string {
    return this.#current().partition;
  }

  get key(): string {
    return this.#current().key;
  }

  get version(): bigint {
    return this.#current().version;
  }

  get value(): Buffer {
    return this.#current().value;
  }

  get bytes(): Buffer {
    return this.#current().bytes;
  }

  get from(): number {
    return this.#current().from;
  }

  get until(): number {
    return this.#current().until;
  }

  get keyFrom(): number {
    return this.#current().keyFrom;
  }

  get keyUntil(): number {
    return this.#current().keyUntil;
  }

  close(): void {
    this.#tree.close();
    this.#treeRow = undefined;
    this.#row = undefined;
    this.#isTreeAtEnd = true;
    this.#next = this.#changes.length;
  }

  #current(): RowInPlace {
    if (this.#row === undefined) throw new Error('The cursor is not at a row.');
    return this.#row;
  }

  #nextOfTree(isReadWhole: boolean): RowInPlace | undefined {
    if (this.#treeRow !== undefined || this.#isTreeAtEnd) return this.#treeRow;
    if (this.#tree.next(isReadWhole)) this.#treeRow = this.#tree;
    else this.#isTreeAtEnd = true;
    return this.#treeRow;
  }

  /** False if the change removes the row. */
  #show(change: Change): boolean {
    const row = rowOf(change);
    if (row === undefined) return false;
    // The tree's row has to wait, and its memory is valid only until the next call of any tree.
    if (this.#treeRow === this.#tree) this.#treeRow = inPlace(this.#tree.copy());
    this.#row = inPlace(row);
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
