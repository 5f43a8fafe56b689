// Reads rows that the classic SDKs encrypted on the client (.NET, Java and Python, until azure-data-tables dropped it): AES-256-CBC with one content key a row. It has no authentication, so nothing here detects a
// changed value: read such rows once and write them anew with encryption.ts. Nothing is written in this form.
import { fromBase64, fromUtf8, joinBytes, toUtf8 } from '../values/bytes.js';
import { isObject } from '../values/is-object.js';
import type { RowAddress } from '../values/pattern-error.js';
import type { BagValue, TypedValue } from '../values/typed-value.js';
import { decryptCbc, sha256 } from './cipher.js';
import { ciphertextRefused, keyUnavailable } from './content-keys.js';

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

interface Metadata {
  readonly keyId: string;
  readonly algorithm: string;
  readonly wrapped: Uint8Array;
  readonly iv: Uint8Array;
  readonly isJava: boolean;
}

const textIn = (value: unknown, name: string): string | undefined => {
  const found = isObject(value) ? value[name] : undefined;
  return typeof found === 'string' ? found : undefined;
};

const partOf = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);

/** Undefined for what is none. Java's first library wrote no metadata of key wrapping, or its name there. */
function readMetadata(text: BagValue | undefined): Metadata | undefined {
  let json: unknown;
  try {
    json = JSON.parse(String(text));
  } catch {
    return undefined;
  }
  const key = partOf(json, 'WrappedContentKey');
  const agent = partOf(json, 'EncryptionAgent');
  const library = partOf(json, 'KeyWrappingMetadata');
  const keyId = textIn(key, 'KeyId');
  const algorithm = textIn(key, 'Algorithm');
  const wrapped = fromBase64(textIn(key, 'EncryptedKey') ?? '-');
  const iv = fromBase64(textIn(json, 'ContentEncryptionIV') ?? '-');
  if (textIn(agent, 'EncryptionAlgorithm') !== 'AES_CBC_256' || textIn(agent, 'Protocol') !== '1.0')
    return undefined;
  if (keyId === undefined || algorithm === undefined || wrapped === undefined || iv === undefined)
    return undefined;
  const isJava = !isObject(library) || (textIn(library, 'EncryptionLibrary') ?? '').includes('Java');
  return { keyId, algorithm, wrapped, iv, isJava };
}

class ClassicDecryption {
  readonly #row: ClassicRow;
  readonly #metadata: Metadata;
  readonly #key: Uint8Array;

  constructor(row: ClassicRow, metadata: Metadata, key: Uint8Array) {
    this.#row = row;
    this.#metadata = metadata;
    this.#key = key;
  }

  async names(): Promise<readonly string[]> {
    const text = await this.text(NAMES);
    if (this.#metadata.isJava && !text.startsWith('["')) return text.slice(1, -1).split(', ').filter(Boolean);
    try {
      const names: unknown = JSON.parse(text);
      if (Array.isArray(names)) return names.map(String);
    } catch {
      // Of another key or row.
    }
    return this.refuse(NAMES, 'it is not a list of names');
  }

  async text(name: string): Promise<string> {
    const found = this.#row.properties.get(name);
    if (!(found?.value instanceof Uint8Array)) return this.refuse(name, 'it is not there, or no Binary');
    const opened = await decryptCbc(this.#key, await this.#iv(name), found.value);
    if (opened === undefined) return this.refuse(name, 'its padding is none');
    try {
      return fromUtf8(opened);
    } catch {
      return this.refuse(name, 'it is not UTF-8');
    }
  }

  refuse(property: string, reason: string): never {
    const { table, partitionKey, rowKey } = this.#row;
    throw ciphertextRefused({ table, partitionKey, rowKey, property }, reason);
  }

  /** .NET joins the row key and the name by the partition key, which comes to row key first; Java has the keys in their order. */
  async #iv(name: string): Promise<Uint8Array> {
    const { partitionKey, rowKey } = this.#row;
    const { iv, isJava } = this.#metadata;
    const keys = isJava ? partitionKey + rowKey : rowKey + partitionKey;
    return (await sha256(joinBytes([iv, toUtf8(keys + name)]))).subarray(0, IV_BYTES);
  }
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
  const read = readMetadata(metadata?.value);
  if (read === undefined) throw ciphertextRefused(at, 'it is not metadata of AES_CBC_256, protocol 1.0');
  let key: Uint8Array | undefined;
  let cause: unknown;
  try {
    key = await unwrap(read.keyId, read.algorithm, read.wrapped);
  } catch (thrown) {
    cause = thrown;
  }
  if (key === undefined) {
    const reason =
      cause === undefined ? 'the program has no such key' : 'it does not unwrap what stands in the row';
    throw keyUnavailable(at, read.keyId, reason, cause);
  }
  const decryption = new ClassicDecryption(row, read, key);
  const encrypted = await decryption.names();
  const texts = await Promise.all(encrypted.map(name => decryption.text(name)));
  for (const [at, name] of encrypted.entries())
    properties.set(name, { type: 'String', value: texts[at] ?? '' });
  return { isEncrypted: true, properties, encrypted };
}
