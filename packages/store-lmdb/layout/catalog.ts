// The catalogue: which spaces exist, which were dropped and still have rows, and what the store counts.
// Changes are made inside a write transaction by others; what the rows hold is not known here.
//
//   'f'                                    ->  format version, 2 bytes | chunk of long keys, 2 bytes
//   'c'                                    ->  last tick | last space id | last subtree id, 8 bytes each
//   's' account 00 service 00 name         ->  id, 4 bytes | created, 8 bytes | metadata
//   'd' id, 4 bytes                        ->  when it was dropped, 8 bytes
//   'l'                                    ->  epoch of the log, 8 bytes | state, 1 byte | tick, 8 bytes
import type { Clock } from '#base';
import { type Space, type SpaceAddress, StoreError } from '#store';
import { EngineError } from '../lmdb/engine-error.js';
import type { Tree } from '../lmdb/tree.js';
import { encodeSpace, endOfPrefix } from './branches.js';
import { decodeText, encodedLength, encodeText, SPACE_ID_MAX, UNIT_BYTES_MAX } from './rows.js';

export type SpaceKey = [account: string, service: string, name: string];

interface FormatRecord {
  readonly version: number;
  /** See branches.ts. */
  readonly chunk: number;
}

/** The catalogue's record of what is in data.log and perhaps not in the trees: see wal/recovery.ts. */
export interface LogFence {
  /** Counts the logs that the store has had. */
  readonly epoch: bigint;
  /** In use; about to be read by a process; all of it is in the trees. */
  readonly state: 'used' | 'taken' | 'read';
  /** The last tick in the trees, when the log was begun or when it was read. */
  readonly tick: bigint;
}

/** The fence of a log that may hold what the trees lack. */
type OpenFence = LogFence & { readonly state: 'used' | 'taken' };

export function isUnread(mark: LogFence | undefined): mark is OpenFence {
  return mark !== undefined && mark.state !== 'read';
}

interface CounterRecord {
  readonly tick: bigint;
  readonly spaceId: number;
  readonly subtreeId: number;
}

/** A file without a log to read, which each version of this program can open. */
export const FORMAT_PLAIN = 1;
/** A file that is whole only together with its log. */
export const FORMAT_LOGGED = 2;

export const FORMAT_KEY = Buffer.from('f');
export const COUNTERS_KEY = Buffer.from('c');
export const LOG_KEY = Buffer.from('l');
export const SPACE_TAG = 0x73;
export const DROPPED_TAG = 0x64;
const FORMAT_BYTES = 4;
const COUNTERS_BYTES = 24;
const SPACE_HEADER_BYTES = 12;
const LOG_BYTES = 17;
const LOG_STATES = ['used', 'taken', 'read'] as const;
const LOG_USED = 1 + LOG_STATES.indexOf('used');

export class Catalog {
  readonly #tree: Tree<SpaceKey>;
  readonly #keyBytesMax: number;

  constructor(tree: Tree<SpaceKey>, keyBytesMax: number) {
    this.#tree = tree;
    this.#keyBytesMax = keyBytesMax;
  }

  getSpace({ account, service, name }: SpaceAddress): Space | undefined {
    if (!this.#fits(account, service, name)) return undefined;
    const bytes = this.#tree.get([account, service, name]);
    return bytes && decodeSpace(bytes, account, service, name);
  }

  /** Whether this generation of the space is the one that has the name. */
  isLiving({ account, service, name, id }: Space): boolean {
    return this.#tree.get([account, service, name])?.readUInt32BE() === id;
  }

  listSpaces(account: string, service: string, from: string, limit: number): Space[] {
    if (!this.#fits(account, service, '')) return [];
    const prefix = encodeSpaceKey(account, service, '');
    const start = encodeSpaceKey(account, service, from).subarray(0, this.#keyBytesMax);
    const cursor = this.#tree.range({ start, end: endOfPrefix(prefix) });
    const span = this.#tree.span;
    const spaces: Space[] = [];
    try {
      while (spaces.length < limit && cursor.next()) {
        const name = decodeText(span.bytes, span.from + prefix.length, span.until);
        // A start that was cut sorts before names that are before `from`.
        if (name >= from) spaces.push(decodeSpace(cursor.value.view(), account, service, name));
      }
    } finally {
      cursor.close();
    }
    return spaces;
  }

  /** The ids of all existing spaces. */
  livingIds(): ReadonlySet<number> {
    const start = Buffer.of(SPACE_TAG);
    const cursor = this.#tree.range({ start, end: endOfPrefix(start) });
    const ids = new Set<number>();
    try {
      while (cursor.next()) ids.add(cursor.value.view().readUInt32BE());
    } finally {
      cursor.close();
    }
    return ids;
  }

  /** Fails with `unsupported` if no space can have this address. */
  assertAddress({ account, service, name }: SpaceAddress): void {
    if (this.#fits(account, service, name)) return;
    throw new StoreError('unsupported', 'The name of the space is longer than a key can be.');
  }

  putSpace(space: Space): void {
    this.#tree.put([space.account, space.service, space.name], encodeSpaceRecord(space));
  }

  /** The name is free at once; `firstDropped` finds the rows. */
  dropSpace(space: Space, tick: bigint): void {
    this.#tree.remove([space.account, space.service, space.name]);
    const when = Buffer.allocUnsafe(8);
    when.writeBigUInt64BE(tick);
    this.#tree.put(droppedKey(space.id), when);
  }

  /** The id of a dropped space that may still have rows. */
  firstDropped(): number | undefined {
    const start = Buffer.of(DROPPED_TAG);
    return this.#tree.keys({ start, end: endOfPrefix(start) }, 1)[0]?.readUInt32BE(1);
  }

  forgetDropped(id: number): void {
    this.#tree.remove(droppedKey(id));
  }

  getFormat(): FormatRecord | undefined {
    const bytes = this.#tree.get(FORMAT_KEY);
    return bytes && decodeFormat(bytes);
  }

  putFormat({ version, chunk }: FormatRecord): void {
    const bytes = Buffer.allocUnsafe(FORMAT_BYTES);
    bytes.writeUInt16BE(version, 0);
    bytes.writeUInt16BE(chunk, 2);
    this.#tree.put(FORMAT_KEY, bytes);
  }

  getCounters(): CounterRecord {
    const bytes = this.#tree.get(COUNTERS_KEY);
    return bytes === undefined ? { tick: 0n, spaceId: 0, subtreeId: 0 } : decodeCounters(bytes);
  }

  putCounters({ tick, spaceId, subtreeId }: CounterRecord): void {
    const bytes = Buffer.allocUnsafeSlow(COUNTERS_BYTES);
    bytes.writeBigUInt64BE(tick, 0);
    bytes.writeBigUInt64BE(BigInt(spaceId), 8);
    bytes.writeBigUInt64BE(BigInt(subtreeId), 16);
    this.#tree.put(COUNTERS_KEY, bytes);
  }

  /** Undefined if the store never had a log. */
  getLogFence(): LogFence | undefined {
    const bytes = this.#tree.get(LOG_KEY);
    return bytes && decodeLogMark(bytes);
  }

  /** Whether the log of this epoch still belongs to its user. */
  ownsLog(epoch: bigint): boolean {
    const bytes = this.#tree.get(LOG_KEY);
    return bytes?.length === LOG_BYTES && bytes.readBigUInt64BE(0) === epoch && bytes[8] === LOG_USED;
  }

  putLogFence(mark: LogFence): void {
    this.#tree.put(LOG_KEY, encodeLogMark(mark));
  }

  /** As `Tree.writeIf`, if the last tick is then `tick`. Never if `isComparable` is false for it. */
  writeIfTick(tick: bigint, write: () => void): Promise<boolean> {
    return this.#tree.writeIf(COUNTERS_KEY, asDouble(tick), write);
  }

  #fits(account: string, service: string, name: string): boolean {
    // The character count is enough to know that ordinary names fit.
    const most = 3 + UNIT_BYTES_MAX * (account.length + service.length + name.length);
    return most <= this.#keyBytesMax || spaceKeyLength(account, service, name) <= this.#keyBytesMax;
  }
}

/** Writes the key of a space, or bytes as they are; returns the position after the last byte. */
export function writeSpaceKey(key: SpaceKey | Uint8Array, target: Uint8Array, position: number): number {
  if (key instanceof Uint8Array) {
    target.set(key, position);
    return position + key.length;
  }
  target[position] = SPACE_TAG;
  const account = encodeText(key[0], target, position + 1);
  target[account] = 0;
  const service = encodeText(key[1], target, account + 1);
  target[service] = 0;
  return encodeText(key[2], target, service + 1);
}

function encodeSpaceKey(account: string, service: string, name: string): Buffer {
  const bytes = Buffer.allocUnsafe(spaceKeyLength(account, service, name));
  writeSpaceKey([account, service, name], bytes, 0);
  return bytes;
}

function spaceKeyLength(account: string, service: string, name: string): number {
  return 3 + encodedLength(account) + encodedLength(service) + encodedLength(name);
}

function encodeSpaceRecord({ id, created, metadata }: Space): Buffer {
  const bytes = Buffer.allocUnsafe(SPACE_HEADER_BYTES + metadata.length);
  bytes.writeUInt32BE(id, 0);
  bytes.writeBigUInt64BE(created, 4);
  bytes.set(metadata, SPACE_HEADER_BYTES);
  return bytes;
}

const droppedKey = (id: number): Buffer => Buffer.concat([Buffer.of(DROPPED_TAG), encodeSpace(id)]);

/** Fails with `corrupt`, as do the other decoders. */
export function decodeFormat(bytes: Buffer): FormatRecord {
  assertLength(bytes, FORMAT_BYTES);
  return { version: bytes.readUInt16BE(0), chunk: bytes.readUInt16BE(2) };
}

export function decodeCounters(bytes: Buffer): CounterRecord {
  assertLength(bytes, COUNTERS_BYTES);
  return {
    tick: bytes.readBigUInt64BE(0),
    spaceId: Number(bytes.readBigUInt64BE(8)),
    subtreeId: Number(bytes.readBigUInt64BE(16)),
  };
}

export function decodeSpace(bytes: Buffer, account: string, service: string, name: string): Space {
  if (bytes.length < SPACE_HEADER_BYTES) throw corruptRecord();
  const id = bytes.readUInt32BE(0);
  const created = bytes.readBigUInt64BE(4);
  const metadata = Buffer.from(bytes.subarray(SPACE_HEADER_BYTES, bytes.length));
  return { account, service, name, id, created, metadata };
}

function encodeLogMark({ epoch, state, tick }: LogFence): Buffer {
  const bytes = Buffer.allocUnsafeSlow(LOG_BYTES);
  bytes.writeBigUInt64BE(epoch, 0);
  bytes.writeUInt8(1 + LOG_STATES.indexOf(state), 8);
  bytes.writeBigUInt64BE(tick, 9);
  return bytes;
}

export function decodeLogMark(bytes: Buffer): LogFence {
  assertLength(bytes, LOG_BYTES);
  const epoch = bytes.readBigUInt64BE(0);
  const state = LOG_STATES[bytes.readUInt8(8) - 1];
  if (state === undefined || epoch === 0n)
    throw new EngineError('corrupt', 'The record of the log in the catalogue is none that a program writes.');
  return { epoch, state, tick: bytes.readBigUInt64BE(9) };
}

const double = new Float64Array(1);
const doubleBytes = Buffer.from(double.buffer);

/** LMDB's package compares the first eight bytes of a value as a double, in this machine's byte order. */
function asDouble(tick: bigint): number {
  doubleBytes.writeBigUInt64BE(tick);
  return double[0] ?? Number.NaN;
}

/** False for the few ticks whose bytes may be a NaN, which equals nothing: read from the last byte on, its exponent is all ones. */
export const isComparable = (tick: bigint): boolean => (tick & 0xf07fn) !== 0xf07fn;

function assertLength(bytes: Buffer, length: number): void {
  if (bytes.length !== length) throw corruptRecord();
}

function corruptRecord(): EngineError {
  return new EngineError('corrupt', 'A record of the catalogue is too short or too long.');
}

/**
 * What a store counts: the last tick and the last ids issued. Written only together with the changes that used them, so
 * that processes that share a directory never issue one twice.
 */
export class Counters {
  readonly #clock: Clock;
  /** The last tick used; `load` and `useTick` set it. */
  tick = 0n;
  #spaceId = 0;
  #subtreeId = 0;
  #isChanged = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Call at the beginning of a write transaction, or of changes that depend on no other process having written
   * (commit/logged-batches.ts).
   */
  load(catalog: Catalog): void {
    const record = catalog.getCounters();
    this.tick = record.tick;
    this.#spaceId = record.spaceId;
    this.#subtreeId = record.subtreeId;
    this.#isChanged = false;
  }

  /** Call at the end of a write transaction. */
  save(catalog: Catalog): void {
    if (!this.#isChanged) return;
    catalog.putCounters({ tick: this.tick, spaceId: this.#spaceId, subtreeId: this.#subtreeId });
    this.#isChanged = false;
  }

  /**
   * Saves the counters as they were when this was the last tick, at the end of a write transaction that has no later
   * one.
   */
  saveAs(tick: bigint, catalog: Catalog): void {
    catalog.putCounters({ tick, spaceId: this.#spaceId, subtreeId: this.#subtreeId });
  }

  /** Later than each tick used so far, whatever the clock returns. */
  nextTick(): bigint {
    const now = this.#clock();
    return now > this.tick ? now : this.tick + 1n;
  }

  /** Called with the tick of each change that is made. */
  useTick(tick: bigint): void {
    this.tick = tick;
    this.#isChanged = true;
  }

  nextSpaceId(): number {
    if (this.#spaceId >= SPACE_ID_MAX) throw new StoreError('full', 'No id is left for another space.');
    this.#spaceId += 1;
    this.#isChanged = true;
    return this.#spaceId;
  }

  nextSubtreeId(): number {
    this.#subtreeId += 1;
    this.#isChanged = true;
    return this.#subtreeId;
  }
}
