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
import { PIECE_NAMES, PIECES } from './list.js';

/** The number of a head. */
export const HEAD = 0;

/** Bytes of a list in one property. A property holds 64 KiB and a row 1 MiB; the space between these limits and ours is for names, keys, bounds and operation ids. */
export const PIECE_BYTES = 60 * 1_024;

/** Bytes of ids in the rows of a list. Tests use smaller limits. */
export interface ListLimits {
  /** A list of up to this size is one row; a longer one has chunks. */
  readonly head: number;
  readonly chunk: number;
}

/**
 * A head of 900 KiB. Each id that is added writes its chunk anew, so chunks are smaller than a row could be. A rename that changes two lists writes at most one head for each, as chunks, in
 * one transaction of 4 MiB.
 */
export const LIMITS: ListLimits = { head: PIECES * PIECE_BYTES, chunk: 4 * PIECE_BYTES };

/** Chunks are made half full, so that the next ids do not divide them again. */
const newChunkBytes = ({ chunk }: ListLimits): number => chunk / 2;
/** A chunk below this is merged with a neighbour, if the two together are at most a new chunk. */
const smallChunkBytes = ({ chunk }: ListLimits): number => chunk / 4;
/** Chunks of one list: some 4 GiB of ids if all were full. */
const CHUNKS_MAX = 9_999;

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

/** The contents of a head: the directory of the chunks that have all ids, or these themselves, as the only chunk. */
export interface Head {
  readonly chunks: readonly ChunkEntry[];
  readonly own?: Chunk;
}

const headOf = (ids: IdSet): Head => {
  const own = { number: HEAD, from: new Uint8Array(), to: undefined, ids };
  return { chunks: [own], own };
};

/** Nothing is there. */
export const NO_LIST: Head = headOf(NO_IDS);

/** What a change does to the rows that were read for it: their values by number, null for a row that goes. Other rows stay the same. */
export type RowEdits = ReadonlyMap<number, Values | null>;

const piecesOf = (bytes: Uint8Array): Values =>
  Object.fromEntries(
    PIECE_NAMES.slice(0, Math.ceil(bytes.length / PIECE_BYTES)).map((name, at) => [
      name,
      bytes.subarray(at * PIECE_BYTES, (at + 1) * PIECE_BYTES),
    ]),
  );

/** Undefined if the values are not those of a list. */
function idsIn(values: Values): IdSet | undefined {
  const pieces = PIECE_NAMES.flatMap(name => (values[name] as Uint8Array | undefined) ?? []);
  const ids = readIds(joinBytes(pieces));
  return ids?.count === values.listCount ? ids : undefined;
}

/** The values of a head's row, except those of its key. */
function directoryValues(chunks: readonly ChunkEntry[]): Values {
  const numbers = chunks.flatMap(({ number }) => [number >> 8, number & 0xff]);
  return {
    listRow: HEAD,
    listCount: chunks.length,
    listNumbers: Uint8Array.from(numbers),
    // Bounds are ids in order, and stored as these are.
    ...piecesOf(setInOrder(chunks.map(({ from }) => from)).bytes),
  };
}

/** The head of a list that is in one row, or is empty. */
const wholeHead = ({ count, bytes }: IdSet): readonly [number, Values | null] => [
  HEAD,
  count === 0 ? null : { listRow: HEAD, listCount: count, ...piecesOf(bytes) },
];

/** The values of a chunk's row, except those of its key. */
const chunkValues = ({ number, from, to, ids }: Chunk): Values => ({
  listRow: number,
  listCount: ids.count,
  listFrom: from,
  ...(to !== undefined && { listTo: to }),
  ...piecesOf(ids.bytes),
});

/** Undefined for values that are not a head's. */
export function readHead(values: Values): Head | undefined {
  const ids = idsIn(values);
  const numbers = values.listNumbers as Uint8Array | undefined;
  if (ids === undefined || numbers === undefined) return ids && headOf(ids);
  if (numbers.length !== 2 * ids.count) return undefined;
  const numberAt = (at: number): number => ((numbers[2 * at] ?? 0) << 8) | (numbers[2 * at + 1] ?? 0);
  const chunks = idsAsBytes(ids).map((from, at) => ({ number: numberAt(at), from }));
  // The first has no lower bound.
  if (chunks[0]?.from.length !== 0) return undefined;
  return { chunks };
}

/** Undefined for values that are not a chunk's. */
export function readChunk(values: Values): Chunk | undefined {
  const ids = idsIn(values);
  const from = values.listFrom as Uint8Array | undefined;
  if (ids === undefined || from === undefined) return undefined;
  return { number: Number(values.listRow), from, to: values.listTo as Uint8Array | undefined, ids };
}

const isBelow = (a: Uint8Array, b: Uint8Array): boolean => compareBytes(a, b) < 0;

/** The chunk whose bounds include the id. */
export function chunkFor(chunks: readonly ChunkEntry[], id: string): ChunkEntry {
  const wanted = idBytes(id);
  return chunks.findLast(({ from }) => !isBelow(wanted, from)) as ChunkEntry;
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

/** The ids as chunks between the bounds of one, which keeps its number unless it was the head; the others get numbers that no chunk has. Throws TooLarge. */
function split(
  { number, from, to }: Omit<Chunk, 'ids'>,
  ids: IdSet,
  directory: readonly ChunkEntry[],
  limits: ListLimits,
): readonly Chunk[] {
  const parts = splitIds(ids, Math.max(2, Math.round(ids.bytes.length / newChunkBytes(limits))));
  const taken = new Set([number, ...directory.map(each => each.number)]);
  const size = taken.size + parts.length - 1;
  if (size > CHUNKS_MAX)
    throw new PatternError('TooLarge', {
      what: 'entity bytes',
      where: 'The list, in chunks,',
      size,
      limit: CHUNKS_MAX,
    });
  let free = 0;
  const nextFree = (): number => {
    do free++;
    while (taken.has(free));
    return free;
  };
  return parts.map((part, at) => {
    const next = parts[at + 1];
    return {
      number: at === 0 && number !== HEAD ? number : nextFree(),
      from: at === 0 ? from : firstId(part),
      to: next === undefined ? to : firstId(next),
      ids: part,
    };
  });
}

/** With the directory of these chunks, of which some change. */
const editDirectory = (
  chunks: readonly ChunkEntry[],
  changed: readonly Chunk[],
  removed?: number,
): RowEdits =>
  new Map([
    [HEAD, directoryValues(chunks)],
    ...changed.map(chunk => [chunk.number, chunkValues(chunk)] as const),
    ...(removed === undefined ? [] : [[removed, null] as const]),
  ]);

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
  const isHead = chunk.number === HEAD;
  if (ids.bytes.length > (isHead ? limits.head : limits.chunk)) {
    const chunks = split(chunk, ids, directory, limits);
    const entries = directory.flatMap(entry => (entry.number === chunk.number ? chunks : entry));
    return editDirectory(entries, chunks);
  }
  if (isHead) return new Map([wholeHead(ids)]);
  const changed = { ...chunk, ids };
  const isRoom =
    neighbour !== undefined &&
    (ids.count === 0 || neighbour.ids.bytes.length + ids.bytes.length <= newChunkBytes(limits));
  return isRoom
    ? mergedChunks(directory, changed, neighbour)
    : new Map([[chunk.number, chunkValues(changed)]]);
}

/** Two neighbours as one chunk under the number of the first; the last chunk goes back into the head. */
function mergedChunks(directory: readonly ChunkEntry[], a: Chunk, b: Chunk): RowEdits {
  const [first, second] = isBelow(a.from, b.from) ? [a, b] : [b, a];
  const ids = mergeIds([first.ids, second.ids]);
  if (directory.length === 2) return new Map([wholeHead(ids), [first.number, null], [second.number, null]]);
  const entries = directory.filter(({ number }) => number !== second.number);
  return editDirectory(entries, [{ ...first, to: second.to, ids }], second.number);
}
