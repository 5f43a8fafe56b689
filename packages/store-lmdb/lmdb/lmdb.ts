// The interface to npm `lmdb`. Nothing else imports it. The package is loaded and typed as a CommonJS module, because its
// types for ES modules do not compile under this project's settings.
import { createRequire } from 'node:module';

export type Key = import('lmdb', { with: { 'resolution-mode': 'require' }}).Key;
export type Database<V, K extends Key> = import('lmdb', { with: { 'resolution-mode': 'require' }}).Database<
  V,
  K
>;
export type RangeOptions = import('lmdb', { with: { 'resolution-mode': 'require' }}).RangeOptions;
export type RootDatabase = import('lmdb', { with: { 'resolution-mode': 'require' }}).RootDatabase;
export type Transaction = import('lmdb', { with: { 'resolution-mode': 'require' }}).Transaction;

const lmdb: typeof import('lmdb', { with: { 'resolution-mode': 'require' }}) = createRequire(import.meta.url)(
  'lmdb',
);

export const { open } = lmdb;

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
