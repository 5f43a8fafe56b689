// Where the rows with long keys are. LMDB takes keys of some 4,000 bytes; a longer one leads through a chain of
// subtrees, in the same order as if the key were in one piece:
//
//   rows:  | space id | first `chunk` bytes of the payload | FF |   ->  subtree id, 8 bytes
//   long:  | subtree id, 8 bytes | the rest of the payload |        ->  row value
//
// A rest longer than `chunk` bytes is split once more in the same way. All rows that begin with the chunk and go on are
// in the subtree, and no row's key holds an FF, so the pointer stands where they stand: right after the row that is
// the chunk exactly, before every other. A subtree without rows has no pointer.
import { EngineError } from '../lmdb/engine-error.js';
import type { Tree, TreeRange } from '../lmdb/tree.js';
import type { RowKey } from './rows.js';

export const SPACE_BYTES = 4;
export const POINTER_MARK = 0xff;
export const SUBTREE_BYTES = 8;

/** Rows with a common prefix, which their keys leave out of the payload. */
export interface Branch {
  readonly tree: Tree<RowKey>;
  /** Space id or subtree id: all keys of the branch begin with it. */
  readonly prefix: Buffer;
}

/** Where a row with a long key is. */
interface Place extends Branch {
  /** The key of the row within the tree. */
  readonly key: Buffer;
  /** Pointers on the way to the row, outermost first. */
  readonly pointers: readonly { readonly tree: Tree<RowKey>; readonly key: Buffer }[];
}

/** Gives new ids to subtrees. */
export interface SubtreeIds {
  nextSubtreeId(): number;
}

export class Branches {
  /** Longest payload, in bytes, of a row that is stored under its whole key. */
  readonly chunk: number;
  protected readonly tree: Tree<RowKey>;
  readonly #long: Tree<RowKey>;

  constructor(tree: Tree<RowKey>, long: Tree<RowKey>, chunk: number) {
    this.tree = tree;
    this.#long = long;
    this.chunk = chunk;
  }

  /** The rows of a space. */
  spaceBranch(space: number): Branch {
    return { tree: this.tree, prefix: encodeSpace(space) };
  }

  /** The rows that the pointer with this value points to. */
  pointedBranch(value: Buffer): Branch {
    if (value.length !== SUBTREE_BYTES) {
      throw new EngineError('corrupt', 'The pointer of a long key in the database is damaged.');
    }
    return { tree: this.#long, prefix: Buffer.from(value.subarray(0, value.length)) };
  }

  /** The longest key of a row in the tree, in bytes; a pointer's key is longer. */
  keyBytesMax(branch: Branch): number {
    return branch.prefix.length + this.chunk;
  }

  /** Undefined if a pointer on the way is missing; with `ids` it is put. */
  protected find(space: number, payload: Buffer, ids?: SubtreeIds): Place | undefined {
    const pointers = [];
    let { tree, prefix } = this.spaceBranch(space);
    let rest = payload;
    while (rest.length > this.chunk) {
      const key = pointerKey(prefix, rest.subarray(0, this.chunk));
      pointers.push({ tree, key });
      let value = tree.get(key);
      if (value === undefined) {
        if (ids === undefined) return undefined;
        value = Buffer.allocUnsafe(SUBTREE_BYTES);
        value.writeBigUInt64BE(BigInt(ids.nextSubtreeId()));
        tree.put(key, value);
      }
      rest = rest.subarray(this.chunk);
      ({ tree, prefix } = this.pointedBranch(value));
    }
    return { tree, prefix, key: Buffer.concat([prefix, rest]), pointers };
  }

  /** Removes the row, and the pointers behind which no row is left. */
  protected removeAt(place: Place): void {
    place.tree.remove(place.key);
    let branch: Branch = place;
    for (const { tree, key } of place.pointers.toReversed()) {
      if (!isEmpty(branch)) return;
      tree.remove(key);
      branch = { tree, prefix: key.subarray(0, key.length - this.chunk - 1) };
    }
  }
}

/** All keys that begin with the branch's prefix. */
export function branchRange({ prefix }: Branch): TreeRange {
  return { start: prefix, end: endOfPrefix(prefix) };
}

export function isEmpty(branch: Branch): boolean {
  return branch.tree.keys(branchRange(branch), 1).length === 0;
}

/** The key of the pointer to all longer payloads with this prefix. */
export const pointerKey = (prefix: Buffer, chunk: Buffer): Buffer =>
  Buffer.concat([prefix, chunk, Buffer.of(POINTER_MARK)]);

export function encodeSpace(space: number): Buffer {
  const bytes = Buffer.allocUnsafe(SPACE_BYTES);
  bytes.writeUInt32BE(space);
  return bytes;
}

/** The first key after all that begin with the prefix; ids never reach their maximum, so there is one. */
export function endOfPrefix(prefix: Buffer): Buffer {
  const end = Buffer.from(prefix);
  let index = end.length - 1;
  while (end[index] === 0xff) index -= 1;
  end[index] = (end[index] ?? 0) + 1;
  return end.subarray(0, index + 1);
}
