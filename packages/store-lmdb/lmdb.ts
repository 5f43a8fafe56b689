// The door to npm `lmdb`: its types as a CommonJS module, because those for ES modules do not compile under this
// project's settings. Nothing else in the project imports the package.
import { createRequire } from 'node:module';

type Lmdb = typeof import('lmdb', { with: { 'resolution-mode': 'require' } });

const lmdb: Lmdb = createRequire(import.meta.url)('lmdb');

export const open = lmdb.open;

export type {
  Database,
  DatabaseOptions,
  RangeOptions,
  RootDatabase,
  Transaction,
} from 'lmdb' with { 'resolution-mode': 'require' };
