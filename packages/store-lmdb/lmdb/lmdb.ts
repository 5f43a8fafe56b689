// The interface to npm `lmdb`: what this engine uses of it. Nothing else imports it. The package is loaded and typed as
// a CommonJS module, because its types for ES modules do not compile under this project's settings; the assignment at
// the end makes the compiler compare them with the interfaces below.
import { createRequire } from 'node:module';

type Lmdb = typeof import('lmdb', { with: { 'resolution-mode': 'require' }});

/** What `lmdb` itself accepts as a key; a `keyEncoder` writes its bytes. */
export type Key = (string | number)[] | Uint8Array;

export interface OpenOptions {
  readonly noSubdir: boolean;
  /** Bytes of address space. Default: 128 KiB, growing with the file. */
  readonly mapSize?: number;
  readonly pageSize: number;
  readonly maxDbs: number;
  readonly maxReaders: number;
  readonly encoding: 'binary';
  readonly keyEncoding: 'binary';
  readonly overlappingSync: boolean;
  readonly noSync: boolean;
  readonly noMemInit: boolean;
  readonly commitDelay: number;
  readonly eventTurnBatching: boolean;
  readonly txnStartThreshold?: number;
  readonly batchStartThreshold?: number;
}

interface DatabaseOptions<V, K> {
  readonly name: string;
  readonly encoder: {
    encode(value: V): Uint8Array;
    /** Gets memory that the next call reuses; its `length` is that of the value. */
    decode(bytes: Uint8Array): V;
  };
  readonly keyEncoder: {
    /** Returns the position after the key's last byte. */
    writeKey(key: K, target: Uint8Array, position: number): number;
    readKey(bytes: Buffer, from: number, until: number): void;
  };
}

export interface RangeOptions {
  readonly start: Uint8Array;
  readonly end: Uint8Array;
  readonly inclusiveEnd: boolean;
  readonly transaction?: Transaction;
}

export interface Transaction {
  done(): void;
}

/**
 * Inside a write transaction `put` and `remove` take effect at once. Inside `ifVersion` they are noted, and LMDB's own
 * thread carries them out later, so the value's memory has to stay as it is.
 */
export interface Database<V, K> {
  get(key: K): V | undefined;
  put(key: K, value: V): unknown;
  remove(key: K): unknown;
  /**
   * One transaction, if the first eight bytes of the key's value are then this number. Fulfilled when it is durable.
   */
  ifVersion(key: K, version: number, write: () => void): Promise<boolean>;
  batch(write: () => void): Promise<boolean>;
  getRange(options: RangeOptions): Iterable<{ readonly value: V }>;
}

export interface RootDatabase {
  openDB<V, K extends Key>(options: DatabaseOptions<V, K>): Database<V, K>;
  doesExist(key: Uint8Array): boolean;
  getKeysCount(): number;
  transaction(write: () => void): Promise<void>;
  transactionSync<T>(write: () => T): T;
  /** Only inside a write transaction. */
  getWriteTxnId(): number;
  useReadTransaction(): Transaction;
  /** `mapSize` and much else. */
  getStats(): object;
  resetReadTxn(): void;
  backup(path: string, compact: boolean): Promise<void>;
  close(): Promise<void>;
}

const lmdb: Lmdb = createRequire(import.meta.url)('lmdb');

export const open: (path: string, options: OpenOptions) => RootDatabase = lmdb.open;

/** What the package's native part has in addition, undocumented. */
interface Native {
  readonly createBufferForAddress?: (address: number, length: number) => Buffer;
  readonly detachBuffer?: (memory: ArrayBufferLike) => void;
}

const { createBufferForAddress, detachBuffer }: Native =
  'nativeAddon' in lmdb ? (lmdb.nativeAddon as Native) : {};

/**
 * A buffer over memory of this process, which has to exist until the buffer is detached; undefined if the package
 * cannot do both.
 */
export const bufferAt = detachBuffer && createBufferForAddress;
/** Takes the memory away from all buffers that are views of it. */
export const detach = detachBuffer;
