// The interface to npm `lmdb` for the raw subject: as a program would use it, with none of the engine's own machinery.
// The package is loaded and typed as a CommonJS module, because its types for ES modules do not compile under this
// project's settings.
import { createRequire } from 'node:module';

type Lmdb = typeof import('lmdb', { with: { 'resolution-mode': 'require' }});

interface RawOptions {
  readonly encoding: 'binary';
  /** The default answers before the data is on disk. */
  readonly overlappingSync: boolean;
}

export interface RawDatabase {
  get(key: string): Buffer | undefined;
  put(key: string, value: Buffer): Promise<boolean>;
  remove(key: string): Promise<boolean>;
  transaction<T>(action: () => T): Promise<T>;
  getRange(range: {
    readonly start: string;
    readonly end: string;
  }): Iterable<{ readonly key: string; readonly value: Buffer }>;
  close(): Promise<void>;
}

const lmdb: Lmdb = createRequire(import.meta.url)('lmdb');

export const open: (path: string, options: RawOptions) => RawDatabase = lmdb.open;
