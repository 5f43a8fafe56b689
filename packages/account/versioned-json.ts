// Versioned JSON, the form of small stored values: the metadata of tables and services.
// The caller defines the value and the version numbers that it can read.
import { StoreError } from '#store';

/** `{"version":1,"value":…}` in UTF-8. */
export function encodeVersioned(version: number, value: unknown): Buffer {
  return Buffer.from(JSON.stringify({ version, value }));
}

function parseStored(bytes: Buffer): { readonly version: unknown; readonly value: unknown } {
  const stored: unknown = JSON.parse(bytes.toString());
  if (typeof stored !== 'object' || stored === null || !('version' in stored) || !('value' in stored)) {
    throw new SyntaxError('A version and a value are expected.');
  }
  return stored;
}

/**
 * Decodes the value with `decode`.
 *
 * @throws StoreError `unsupported` for another version, `corrupt` for anything else that cannot be read.
 */
export function decodeVersioned<T>(
  version: number,
  bytes: Buffer,
  noun: string,
  decode: (value: unknown) => T,
): T {
  try {
    const stored = parseStored(bytes);
    if (stored.version !== version) {
      throw new StoreError('unsupported', `${noun} have the unknown version ${String(stored.version)}.`);
    }
    return decode(stored.value);
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw new StoreError('corrupt', `${noun} cannot be read.`, error);
  }
}
