// Rows whose keys are longer than LMDB takes: a chain of subtrees, in the same order as if the key were in one piece.
//
//   rows:  | space id | first `chunk` bytes of the payload | FF |   ->  subtree id, 8 bytes
//   long:  | subtree id, 8 bytes | the rest of the payload |        ->  row value
//
// A rest longer than `chunk` bytes is split once more in the same way. All rows that begin with the chunk and go on are
// in the subtree, and no row's key holds an FF, so the pointer stands where they stand: right after the row that is
// the chunk exactly, before every other. A subtree without rows has no pointer.

import { EngineError } from '../lmdb/engine-error.js';
import type { Tree, TreeRange } from '../lmdb/tree.js';
import type { Counters } from './catalog.js';
import { encodePayload, encodeSpace, endOfPrefix, type RowKey } from './keys.js';

const POINTER_MARK = 0xff;
const SUBTREE_BYTES = 8;

/** Rows with a common prefix, which their keys leave out of the payload. */
export interface Branch {
  readonly tree: Tree<RowKey>;
  /** Space id or subtree id: all keys of the branch begin with it. */
  readonly prefix: Buffer;
}

interface Place extends Branch {
  /** The key of the row within the tree. */
  readonly key: Buffer;
  /** Pointers on the way to the row, outermost first. */
  readonly pointers: readonly { readonly tree: Tree<RowKey>; readonly key: Buffer }[];
}

export class LongKeys {
  /** Longest payload, in bytes, of a row that is stored under its whole key. */
  readonly chunk: number;
  readonly #rows: Tree<RowKey>;
  readonly #long: Tree<RowKey>;

  constructor(rows: Tree<RowKey>, long: Tree<RowKey>, chunk: number) {
    this.#rows = rows;
    this.#long = long;
    this.chunk = chunk;
  }

  get(space: number, partition: string, key: string): Buffer | undefined {
    const place = this.#find(space, encodePayload(partition, key));
    return place?.tree.get(place.key);
  }

  /** Only inside a write transaction. */
  put(space: number, partition: string, key: string, value: Buffer, counters: Counters): void {
    const place = this.#find(space, encodePayload(partition, key), counters);
    place?.tree.put(place.key, value);
  }

  /** Only inside a write transaction. */
  remove(space: number, partition: string, key: string): void {
    const place = this.#find(space, encodePayload(partition, key));
    if (place === undefined) return;
    place.tree.remove(place.key);
    let branch: Branch = place;
    for (const pointer of place.pointers.toReversed()) {
      if (!isEmpty(branch)) return;
      pointer.tree.remove(pointer.key);
      branch = { tree: pointer.tree, prefix: this.#prefixOf(pointer) };
    }
  }

  /** The rows of a space. */
  spaceBranch(space: number): Branch {
    return { tree: this.#rows, prefix: encodeSpace(space) };
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

  #find(space: number, payload: Buffer, counters?: Counters): Place | undefined {
    const pointers = [];
    let { tree, prefix } = this.spaceBranch(space);
    let rest = payload;
    while (rest.length > this.chunk) {
      const key = pointerKey(prefix, rest.subarray(0, this.chunk));
      pointers.push({ tree, key });
      let value = tree.get(key);
      if (value === undefined) {
        if (counters === undefined) return undefined;
        value = encodeSubtree(counters.nextSubtreeId());
        tree.put(key, value);
      }
      rest = rest.subarray(this.chunk);
      ({ tree, prefix } = this.pointedBranch(value));
    }
    return { tree, prefix, key: Buffer.concat([prefix, rest]), pointers };
  }

  #prefixOf(pointer: { readonly key: Buffer }): Buffer {
    return pointer.key.subarray(0, pointer.key.length - this.chunk - 1);
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
export function pointerKey(prefix: Buffer, chunk: Buffer): Buffer {
  const key = Buffer.allocUnsafe(prefix.length + chunk.length + 1);
  key.set(prefix);
  key.set(chunk, prefix.length);
  key[key.length - 1] = POINTER_MARK;
  return key;
}

function encodeSubtree(id: number): Buffer {
  const bytes = Buffer.allocUnsafe(SUBTREE_BYTES);
  bytes.writeBigUInt64BE(BigInt(id));
  return bytes;
}
