// Reads rows that the classic SDKs encrypted on the client (.NET, Java and Python, until azure-data-tables dropped it): AES-256-CBC with one content key a row. It has no authentication, so nothing here detects a
// changed value: read such rows once and write them anew with encryption.ts. Nothing is written in this form.
import { fromBase64, fromUtf8, joinBytes, toUtf8 } from '../values/bytes.js';
import { isObject } from '../values/is-object.js';
import type { RowAddress } from '../values/pattern-error.js';
import type { BagValue, TypedValue } from '../values/typed-value.js';
import { decryptCbc, KEY_BYTES, sha256 } from './cipher.js';
import { ciphertextRefused, keyUnavailable, type WantedAt } from './content-keys.js';

/** What unwraps the content keys of a key's name: as `CryptographyClient` of `@azure/keyvault-keys`, or a local one. `algorithm` is what the row says: `A256KW`, `RSA-OAEP`. */
type ClassicUnwrap = (
  keyId: string,
  algorithm: string,
  wrapped: Uint8Array,
) => Promise<Uint8Array | undefined>;

/** A row that was read as a bag of properties. */
export interface ClassicRow extends RowAddress {
  readonly properties: ReadonlyMap<string, TypedValue>;
}

/** What was in a row. */
interface ClassicValues {
  /** Whether it was encrypted at all. */
  readonly isEncrypted: boolean;
  /** All properties of the row but those of the encryption; the encrypted ones as the texts that they were. */
  readonly properties: ReadonlyMap<string, TypedValue>;
  /** Names of properties that were encrypted. */
  readonly encrypted: readonly string[];
}

const METADATA = '_ClientEncryptionMetadata1';
const NAMES = '_ClientEncryptionMetadata2';
/** Bytes of the initialization vector of CBC. */
const IV_BYTES = 16;

/** What the metadata may have: Java's first library wrote nothing of key wrapping, or its name there. */
type ClassicJson = Readonly<{
  WrappedContentKey?: Readonly<{ KeyId?: unknown; Algorithm?: unknown; EncryptedKey?: unknown }>;
  EncryptionAgent?: Readonly<{ EncryptionAlgorithm?: unknown; Protocol?: unknown }>;
  ContentEncryptionIV?: unknown;
  KeyWrappingMetadata?: Readonly<{ EncryptionLibrary?: unknown }>;
}> | null;

interface Metadata {
  readonly keyId: string;
  readonly algorithm: string;
  readonly wrapped: Uint8Array;
  readonly iv: Uint8Array;
  readonly isJava: boolean;
}

const bytesOf = (text: unknown): Uint8Array | undefined =>
  typeof text === 'string' ? fromBase64(text) : undefined;

/** Undefined for what is none. */
function readMetadata(text: BagValue | undefined): Metadata | undefined {
  let json: ClassicJson;
  try {
    json = JSON.parse(String(text));
  } catch {
    return undefined;
  }
  const { KeyId: keyId, Algorithm: algorithm, EncryptedKey } = json?.WrappedContentKey ?? {};
  const { EncryptionAlgorithm, Protocol } = json?.EncryptionAgent ?? {};
  if (EncryptionAlgorithm !== 'AES_CBC_256' || Protocol !== '1.0') return undefined;
  const [wrapped, iv] = [bytesOf(EncryptedKey), bytesOf(json?.ContentEncryptionIV)];
  if (typeof keyId !== 'string' || typeof algorithm !== 'string' || !wrapped || !iv) return undefined;
  const library = json?.KeyWrappingMetadata;
  const name = isObject(library) ? library.EncryptionLibrary : 'Java';
  const isJava = typeof name === 'string' && name.includes('Java');
  return { keyId, algorithm, wrapped, iv, isJava };
}

/** .NET joins the row key and the name by the partition key, which comes to row key first; Java has the keys in their order. */
async function ivOf({ partitionKey, rowKey }: ClassicRow, { iv, isJava }: Metadata, name: string) {
  const keys = isJava ? partitionKey + rowKey : rowKey + partitionKey;
  return (await sha256(joinBytes([iv, toUtf8(keys + name)]))).subarray(0, IV_BYTES);
}

/** Undefined for a text of another key or row, which is no list. */
function namesIn(text: string, isJava: boolean): readonly string[] | undefined {
  if (isJava && !text.startsWith('["')) return text.slice(1, -1).split(', ').filter(Boolean);
  try {
    const names: unknown = JSON.parse(text);
    return Array.isArray(names) ? names.map(String) : undefined;
  } catch {
    return undefined;
  }
}

/** Throws KeyUnavailable. */
async function contentKeyOf(at: WantedAt, { keyId, algorithm, wrapped }: Metadata, unwrap: ClassicUnwrap) {
  let key: Uint8Array | undefined;
  try {
    key = await unwrap(keyId, algorithm, wrapped);
  } catch (cause) {
    throw keyUnavailable(at, keyId, 'it does not unwrap what stands in the row', cause);
  }
  if (key?.length === KEY_BYTES) return key;
  const reason =
    key === undefined
      ? 'the program has no such key'
      : `what it unwraps has ${key.length} bytes, and a content key has ${KEY_BYTES}`;
  throw keyUnavailable(at, keyId, reason);
}

/**
 * What was in a row that a classic SDK encrypted; a row that was not is given as it is. Throws KeyUnavailable if the key is none of the program's, and CiphertextRefused for what does not open. **A value that somebody changed may open as another text**: the form has
 * no authentication.
 */
export async function readClassic(row: ClassicRow, unwrap: ClassicUnwrap): Promise<ClassicValues> {
  const properties = new Map(row.properties);
  const metadata = properties.get(METADATA);
  if (metadata === undefined && !properties.has(NAMES))
    return { isEncrypted: false, properties, encrypted: [] };
  properties.delete(METADATA);
  properties.delete(NAMES);
  const { table, partitionKey, rowKey } = row;
  const at = { table, partitionKey, rowKey, property: METADATA };
  const refuse = (property: string, reason: string): never => {
    throw ciphertextRefused({ ...at, property }, reason);
  };
  const read =
    readMetadata(metadata?.value) ?? refuse(METADATA, 'it is not metadata of AES_CBC_256, protocol 1.0');
  const key = await contentKeyOf(at, read, unwrap);
  const textOf = async (name: string): Promise<string> => {
    const found = row.properties.get(name)?.value;
    if (!(found instanceof Uint8Array)) return refuse(name, 'it is not there, or no Binary');
    const opened = await decryptCbc(key, await ivOf(row, read, name), found);
    if (opened === undefined) return refuse(name, 'its padding is none');
    try {
      return fromUtf8(opened);
    } catch {
      return refuse(name, 'it is not UTF-8');
    }
  };
  const encrypted = namesIn(await textOf(NAMES), read.isJava) ?? refuse(NAMES, 'it is not a list of names');
  const texts = await Promise.all(encrypted.map(textOf));
  for (const [index, name] of encrypted.entries())
    properties.set(name, { type: 'String', value: texts[index] ?? '' });
  return { isEncrypted: true, properties, encrypted };
}
