// The rows of a list, and the rows that a change writes. Pure. A list of up to 900 KiB is its head, one row. A longer one is split into chunks: each row holds the ids from one
// bound up to another, and the head is the directory of chunks. A writer then reads and writes one chunk, and writes the head only to split or merge chunks.
//
// Splits and merges are one transaction, and each chunk holds both its bounds: if the chunks cover everything without a gap, a reader has missed no id and has none twice, even if it read
// them in several pages. Otherwise it reads again.
import { compareBytes, joinBytes } from '../../values/bytes.js';
import { PatternError } from '../../values/pattern-error.js';
import type { Values } from '../../values/property.js';
import {
  firstId,
  type IdSet,
  idBytes,
  idsAsBytes,
  mergeIds,
  NO_IDS,
  readIds,
  setInOrder,
  splitIds,
} from './id-set.js';
import { PIECE_NAMES } from './list.js';
import {
  CHUNKS_MAX,
  LIMITS,
  type ListLimits,
  newChunkBytes,
  PIECE_BYTES,
  smallChunkBytes,
} from './list-limits.js';

/** The number of a head. */
export const HEAD = 0;

/** A chunk, as the directory knows it. */
export interface ChunkEntry {
  readonly number: number;
  /** The lowest id that may be in it, as UTF-8; empty for the first chunk, as no bytes sort lower. */
  readonly from: Uint8Array;
}

export interface Chunk extends ChunkEntry {
  /** The lowest id of the next chunk; undefined for the last chunk. */
  readonly to: Uint8Array | undefined;
  readonly ids: IdSet;
}

/** The contents of a head. */
export type Head =
  | { readonly kind: 'ids'; readonly ids: IdSet }
  | { readonly kind: 'directory'; readonly chunks: readonly ChunkEntry[] };

/** What a change does to the rows that were read for it. Rows in neither property stay the same. */
export interface RowEdits {
  /** Undefined leaves the head; null deletes it. */
  readonly head: Head | null | undefined;
  readonly chunks: readonly Chunk[];
  readonly removed: readonly number[];
}

const piecesOf = (bytes: Uint8Array): Values =>
  Object.fromEntries(
    PIECE_NAMES.slice(0, Math.ceil(bytes.length / PIECE_BYTES)).map((name, at) => [
      name,
      bytes.subarray(at * PIECE_BYTES, (at + 1) * PIECE_BYTES),
    ]),
  );

/** Undefined if the values are not those of a list. */
const idsIn = (values: Values): IdSet | undefined =>
  readIds(joinBytes(PIECE_NAMES.flatMap(name => (values[name] as Uint8Array | undefined) ?? [])));

/** The values of a head's row, except those of its key. */
export function headValues(head: Head): Values {
  if (head.kind === 'ids') return { listRow: HEAD, listCount: head.ids.count, ...piecesOf(head.ids.bytes) };
  const numbers = head.chunks.flatMap(({ number }) => [number >> 8, number & 0xff]);
  const bounds = head.chunks.map(({ from }) => from);
  return {
    listRow: HEAD,
    listCount: head.chunks.length,
    listNumbers: Uint8Array.from(numbers),
    // Bounds are ids in order, and stored as these are.
    ...piecesOf(setInOrder(bounds).bytes),
  };
}

/** The values of a chunk's row, except those of its key. */
export const chunkValues = ({ number, from, to, ids }: Chunk): Values => ({
  listRow: number,
  listCount: ids.count,
  listFrom: from,
  ...(to !== undefined && { listTo: to }),
  ...piecesOf(ids.bytes),
});

/** Undefined for values that are not a head's. */
export function readHead(values: Values): Head | undefined {
  const stored = idsIn(values);
  if (stored === undefined || stored.count !== values.listCount) return undefined;
  const numbers = values.listNumbers as Uint8Array | undefined;
  if (numbers === undefined) return { kind: 'ids', ids: stored };
  if (numbers.length !== 2 * stored.count) return undefined;
  const chunks = idsAsBytes(stored).map((from, at) => ({
    number: ((numbers[2 * at] ?? 0) << 8) | (numbers[2 * at + 1] ?? 0),
    from,
  }));
  return { kind: 'directory', chunks };
}

/** Undefined for values that are not a chunk's. */
export function readChunk(values: Values): Chunk | undefined {
  const ids = idsIn(values);
  const from = values.listFrom as Uint8Array | undefined;
  if (ids === undefined || from === undefined || ids.count !== values.listCount) return undefined;
  return { number: Number(values.listRow), from, to: values.listTo as Uint8Array | undefined, ids };
}

const isBelow = (a: Uint8Array, b: Uint8Array): boolean => compareBytes(a, b) < 0;

/** The chunk whose bounds include the id. */
export function chunkFor(chunks: readonly ChunkEntry[], id: string): ChunkEntry {
  const wanted = idBytes(id);
  let [low, high] = [0, chunks.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (isBelow(wanted, (chunks[middle] as ChunkEntry).from)) high = middle - 1;
    else low = middle;
  }
  return chunks[low] as ChunkEntry;
}

/** Whether the chunk's bounds include the id: they may have changed since the directory was read. */
export function coversId({ from, to }: Pick<Chunk, 'from' | 'to'>, id: string): boolean {
  const wanted = idBytes(id);
  return !isBelow(wanted, from) && (to === undefined || isBelow(wanted, to));
}

/** All ids of chunks that cover everything; undefined if there are gaps, because chunks were split or merged during the read. */
export function joinedChunks(chunks: readonly Chunk[]): IdSet | undefined {
  const sorted = [...chunks].sort((a, b) => compareBytes(a.from, b.from));
  let bound: Uint8Array | undefined = new Uint8Array();
  for (const { from, to } of sorted) {
    if (bound === undefined || compareBytes(bound, from) !== 0) return undefined;
    bound = to;
  }
  return sorted.length > 0 && bound === undefined ? mergeIds(sorted.map(({ ids }) => ids)) : undefined;
}

/** Chunks between two bounds, with numbers that no other chunk has: `number` is the first one's. */
function chunksOf(
  ids: IdSet,
  { from, to }: Pick<Chunk, 'from' | 'to'>,
  number: number,
  taken: ReadonlySet<number>,
  limits: ListLimits,
): readonly Chunk[] {
  const count = Math.max(2, Math.round(ids.bytes.length / newChunkBytes(limits)));
  const parts = splitIds(ids, count);
  const free = freeNumbers(parts.length - 1, taken);
  return parts.map((part, at) => {
    const next = parts[at + 1];
    return {
      number: at === 0 ? number : (free[at - 1] as number),
      from: at === 0 ? from : firstId(part),
      to: next === undefined ? to : firstId(next),
      ids: part,
    };
  });
}

/** Throws TooLarge. */
function freeNumbers(count: number, taken: ReadonlySet<number>): readonly number[] {
  const free: number[] = [];
  for (let number = 1; free.length < count; number++) {
    if (number > CHUNKS_MAX)
      throw new PatternError('TooLarge', {
        what: 'entity bytes',
        where: 'The list, in chunks,',
        size: taken.size + count,
        limit: CHUNKS_MAX,
      });
    if (!taken.has(number)) free.push(number);
  }
  return free;
}

const entryOf = ({ number, from }: Chunk): ChunkEntry => ({ number, from });

/** The rows of a list that was in its head, or was not. */
export function editHead(ids: IdSet, limits = LIMITS): RowEdits {
  if (ids.count === 0) return { head: null, chunks: [], removed: [] };
  if (ids.bytes.length <= limits.head) return { head: { kind: 'ids', ids }, chunks: [], removed: [] };
  const whole = { from: new Uint8Array(), to: undefined };
  const chunks = chunksOf(ids, whole, 1, new Set([1]), limits);
  return { head: { kind: 'directory', chunks: chunks.map(entryOf) }, chunks, removed: [] };
}

/** The neighbour with which to merge a chunk of this size, if there is space; undefined to leave the chunk alone. */
export function neighbourOf(
  chunks: readonly ChunkEntry[],
  number: number,
  ids: IdSet,
  limits = LIMITS,
): ChunkEntry | undefined {
  if (ids.bytes.length >= smallChunkBytes(limits)) return undefined;
  const at = chunks.findIndex(chunk => chunk.number === number);
  return chunks[at + 1] ?? chunks[at - 1];
}

/** The rows after a chunk got these ids. `neighbour` is the one that it may be merged with. */
export function editChunk(
  directory: readonly ChunkEntry[],
  chunk: Chunk,
  ids: IdSet,
  neighbour: Chunk | undefined,
  limits = LIMITS,
): RowEdits {
  if (ids.bytes.length > limits.chunk) {
    const taken = new Set(directory.map(({ number }) => number));
    const chunks = chunksOf(ids, chunk, chunk.number, taken, limits);
    const entries = directory.flatMap(entry => (entry.number === chunk.number ? chunks.map(entryOf) : entry));
    return { head: { kind: 'directory', chunks: entries }, chunks, removed: [] };
  }
  const changed = { ...chunk, ids };
  const isRoom =
    neighbour !== undefined &&
    (ids.count === 0 || neighbour.ids.bytes.length + ids.bytes.length <= newChunkBytes(limits));
  return isRoom
    ? mergedChunks(directory, changed, neighbour)
    : { head: undefined, chunks: [changed], removed: [] };
}

/** Two neighbours as one chunk under the number of the first; the last chunk goes back into the head. */
function mergedChunks(directory: readonly ChunkEntry[], a: Chunk, b: Chunk): RowEdits {
  const [first, second] = isBelow(a.from, b.from) ? [a, b] : [b, a];
  const ids = mergeIds([first.ids, second.ids]);
  if (directory.length === 2)
    return {
      head: ids.count === 0 ? null : { kind: 'ids', ids },
      chunks: [],
      removed: [first.number, second.number],
    };
  const entries = directory.filter(({ number }) => number !== second.number);
  const merged = { ...first, to: second.to, ids };
  return { head: { kind: 'directory', chunks: entries }, chunks: [merged], removed: [second.number] };
}

/** Nothing is there. */
export const NO_LIST: Head = { kind: 'ids', ids: NO_IDS };
