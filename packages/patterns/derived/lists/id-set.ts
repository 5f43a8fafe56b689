// A sorted set of ids as bytes: the contents of a list's rows and blobs. An id is its length as a varint, then its UTF-8; ids are sorted by these UTF-8 bytes, each once. Lengths
// instead of separators let an id contain any character. All functions are pure, and none changes bytes that it was given.
import { compareBytes, fromUtf8, joinBytes, toUtf8 } from '../../values/bytes.js';
import { refuseValue } from '../../values/pattern-error.js';

/** Ids, in order. */
export interface IdSet {
  readonly bytes: Uint8Array;
  readonly count: number;
}

export const NO_IDS: IdSet = { bytes: new Uint8Array(), count: 0 };

/** Two keys of 512 characters as UTF-8, and the separator between them. */
export const ID_BYTES_MAX = 4_096;

/** Half of a surrogate pair. */
const HALF = /\p{Surrogate}/u;

/** Whether each id should be in the set. */
export type IdChanges = ReadonlyMap<string, boolean>;

/** The id as its UTF-8. Throws ValueInvalid for one that is too long, or that UTF-8 cannot hold. */
export function idBytes(id: string): Uint8Array {
  if (HALF.test(id)) refuseValue('id', 'a text', 'it has half of a surrogate pair');
  const bytes = toUtf8(id);
  if (bytes.length > ID_BYTES_MAX)
    refuseValue('id', `a text of at most ${ID_BYTES_MAX} bytes of UTF-8`, `it has ${bytes.length}`);
  return bytes;
}

/** With its length before it. */
function entryOf(id: Uint8Array): Uint8Array {
  const head = id.length < 0x80 ? [id.length] : [(id.length & 0x7f) | 0x80, id.length >> 7];
  const entry = new Uint8Array(head.length + id.length);
  entry.set(head);
  entry.set(id, head.length);
  return entry;
}

/** Goes over the entries of a set from the first. Two bytes of length are enough: see ID_BYTES_MAX. */
class Entries {
  /** Where the entry begins. */
  at = 0;
  /** Its id. */
  from = 0;
  end = 0;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#measure();
  }

  get isAtEnd(): boolean {
    return this.at >= this.#bytes.length;
  }

  next(): void {
    this.at = this.end;
    this.#measure();
  }

  /** Below, at or above 0, as in `compareBytes`. */
  compare(id: Uint8Array): number {
    const bytes = this.#bytes;
    const length = Math.min(this.end - this.from, id.length);
    for (let at = 0; at < length; at++) {
      const difference = (bytes[this.from + at] ?? 0) - (id[at] ?? 0);
      if (difference !== 0) return difference;
    }
    return this.end - this.from - id.length;
  }

  #measure(): void {
    if (this.isAtEnd) return;
    const first = this.#bytes[this.at] ?? 0;
    const isShort = first < 0x80;
    this.from = this.at + (isShort ? 1 : 2);
    this.end = this.from + (isShort ? first : (first & 0x7f) | ((this.#bytes[this.at + 1] ?? 0) << 7));
  }
}

/** The set with the changes applied: the same object if they change nothing. One pass, whatever the number of changes. */
export function changeIds(set: IdSet, changes: IdChanges): IdSet {
  const wanted = [...changes].map(([id, isIn]) => ({ id: idBytes(id), isIn }));
  wanted.sort((a, b) => compareBytes(a.id, b.id));
  const entries = new Entries(set.bytes);
  const pieces: Uint8Array[] = [];
  let { count } = set;
  let kept = 0;
  for (const { id, isIn } of wanted) {
    while (!entries.isAtEnd && entries.compare(id) < 0) entries.next();
    const isThere = !entries.isAtEnd && entries.compare(id) === 0;
    if (isThere === isIn) continue;
    pieces.push(set.bytes.subarray(kept, entries.at));
    count += isIn ? 1 : -1;
    if (isIn) pieces.push(entryOf(id));
    else entries.next();
    kept = entries.at;
  }
  return pieces.length === 0 ? set : { bytes: joinBytes([...pieces, set.bytes.subarray(kept)]), count };
}

/** The set of ids that are in order already, each once. */
export const setInOrder = (ids: readonly Uint8Array[]): IdSet => ({
  bytes: joinBytes(ids.map(entryOf)),
  count: ids.length,
});

/** Any ids as a set. Throws ValueInvalid. */
export const idSet = (ids: Iterable<string>): IdSet =>
  changeIds(NO_IDS, new Map([...ids].map(id => [id, true])));

/** The ids as their UTF-8, in their order. */
export function idsAsBytes({ bytes }: IdSet): readonly Uint8Array[] {
  const ids: Uint8Array[] = [];
  for (const entries = new Entries(bytes); !entries.isAtEnd; entries.next())
    ids.push(bytes.subarray(entries.from, entries.end));
  return ids;
}

/** The ids in their order. Throws TypeError for one that is not UTF-8. */
export const idsOf = (set: IdSet): readonly string[] => idsAsBytes(set).map(fromUtf8);

export function containsId({ bytes }: IdSet, id: string): boolean {
  const wanted = idBytes(id);
  for (const entries = new Entries(bytes); !entries.isAtEnd; entries.next()) {
    const order = entries.compare(wanted);
    if (order >= 0) return order === 0;
  }
  return false;
}

/** The first id of a set that has one, as its UTF-8. */
export function firstId({ bytes }: IdSet): Uint8Array {
  const entries = new Entries(bytes);
  return bytes.slice(entries.from, entries.end);
}

/** Sets of about equal size in bytes, at most so many, in order; none is empty. */
export function splitIds({ bytes }: IdSet, parts: number): readonly IdSet[] {
  const sets: IdSet[] = [];
  let [begin, count] = [0, 0];
  const entries = new Entries(bytes);
  while (!entries.isAtEnd) {
    entries.next();
    count++;
    const isFull = entries.at * parts >= bytes.length * (sets.length + 1);
    if (!isFull && !entries.isAtEnd) continue;
    sets.push({ bytes: bytes.slice(begin, entries.at), count });
    [begin, count] = [entries.at, 0];
  }
  return sets;
}

/** Concatenates sets; each must sort above the one before it. */
export const mergeIds = (sets: readonly IdSet[]): IdSet => ({
  bytes: joinBytes(sets.map(({ bytes }) => bytes)),
  count: sets.reduce((sum, { count }) => sum + count, 0),
});

/** Bytes of a row or a blob as a set; undefined if malformed: an entry is cut off, too long, or not above its predecessor. */
export function readIds(bytes: Uint8Array): IdSet | undefined {
  const entries = new Entries(bytes);
  let before: Uint8Array | undefined;
  let count = 0;
  for (; !entries.isAtEnd; entries.next()) {
    if (entries.end > bytes.length || entries.end - entries.from > ID_BYTES_MAX) return undefined;
    if (before !== undefined && entries.compare(before) <= 0) return undefined;
    before = bytes.subarray(entries.from, entries.end);
    count++;
  }
  return { bytes, count };
}
