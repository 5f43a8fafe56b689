// Encrypts what an entity says before it is written, and decrypts what was read. The keys are content-keys.ts's, the bytes ciphertext.ts's; encrypted-repo.ts reads and writes with it.
import { REAL_SURROUNDINGS, type Surroundings } from '../concurrency/surroundings.js';
import type { InTable } from '../model/address.js';
import type { AnyEntity, NewOf } from '../model/definition.js';
import type { Projected, StoredOf } from '../model/stored.js';
import type { Db } from '../repo/open.js';
import { joinBytes, toBase64Url, toUtf8 } from '../values/bytes.js';
import { checkValue } from '../values/check-value.js';
import { type RowAddress, refuseValue } from '../values/pattern-error.js';
import type { Values } from '../values/property.js';
import { decrypt, encrypt, hmac } from './cipher.js';
import {
  Ciphertext,
  ContentKey,
  FORMAT,
  formatContentKey,
  formatKey,
  NONCE_BYTES,
  parseCiphertext,
  parseContentKey,
} from './ciphertext.js';
import { type ClearStored, isLoss, type NewClearOf, type OpenOptions } from './clear.js';
import { ContentKeys, ciphertextRefused, type OpenKey, type WantedAt } from './content-keys.js';
import {
  boundTo,
  innerOf,
  type KeyedHash,
  plaintextOf,
  type SealedField,
  type Sealing,
  sealingOf,
  valueOfPlaintext,
} from './encrypted.js';
import { EncryptedRepo } from './encrypted-repo.js';
import type { KeyRing } from './key-ring.js';

/** Which key a property of a row gets: its name in the ring, undefined for the current one, `false` to store the value as it is. Pure: it is asked again when the row is read. */
type KeyResolver = (row: RowAddress, property: string) => string | false | undefined;

/** How values are encrypted. */
export interface EncryptionSpec<H extends string = never> {
  readonly ring: KeyRing;
  readonly resolver?: KeyResolver | undefined;
  /** Properties that are made of others by a key, so that rows are found by equal values: `{ emailHash: { of: 'email', key } }`. */
  readonly hashes?: Readonly<Record<H, KeyedHash>> | undefined;
  /** The table in whose name ciphertexts are bound, where rows were moved to a table of another name. */
  readonly boundTable?: string | undefined;
  /** In place of the clock and of the random bytes, for tests. */
  readonly surroundings?: Partial<Pick<Surroundings, 'now' | 'random'>> | undefined;
}

type Readable<E extends AnyEntity> = StoredOf<E> | Projected<unknown, E['name']>;

/** The encryption of an entity's rows. */
export class Encryption<E extends AnyEntity, H extends string = never> {
  readonly entity: E;
  readonly #sealing: Sealing;
  readonly #spec: EncryptionSpec<H>;
  readonly #keys: ContentKeys;
  readonly #random: Surroundings['random'];

  constructor(entity: E, spec: EncryptionSpec<H>) {
    const { now = REAL_SURROUNDINGS.now, random = REAL_SURROUNDINGS.random } = spec.surroundings ?? {};
    this.entity = entity;
    this.#sealing = sealingOf(entity, (spec.hashes ?? {}) as Readonly<Record<string, KeyedHash>>);
    this.#spec = spec;
    this.#keys = new ContentKeys(spec.ring, { now, random });
    this.#random = random;
  }

  /** Properties that are keyed hashes. */
  get hashNames(): ReadonlySet<string> {
    return new Set(this.#sealing.hashes.keys());
  }

  /** The rows of the entity, with open values. */
  repo(db: Db, options: InTable = {}): EncryptedRepo<E, H> {
    return new EncryptedRepo(db, this, options);
  }

  /** The value as the entity's repositories, batches and bulk writes take it, for this table. Throws ValueInvalid, KeyInvalid, KeyUnavailable. */
  async seal(value: NewClearOf<E, H>, { table = this.entity.table }: InTable = {}): Promise<NewOf<E>> {
    const values = await this.#withHashes(value as Values);
    const { entity } = this;
    const { contentKey, sealed } = this.#sealing;
    if (contentKey !== undefined && values[contentKey.name] !== undefined)
      refuseValue(contentKey.name, 'nothing', 'the library makes it');
    const keys: Record<string, unknown> = {};
    for (const { name, inKey, property } of entity.plan.fields)
      if (inKey && values[name] !== undefined) keys[name] = checkValue(property, values[name], name);
    const address = {
      table,
      partitionKey: entity.plan.partition.encode(keys),
      rowKey: entity.plan.row.encode(keys),
    };
    const given = sealed.filter(field => !isMissing(field, values[field.name]));
    const ofRow = await this.#contentKey(address, given);
    const entries = await Promise.all(
      given.map(async field => [field.name, await this.#sealed(address, field, values[field.name], ofRow)]),
    );
    const own = ofRow && contentKey ? { [contentKey.name]: formatContentKey(ofRow.wrapped) } : {};
    return { ...values, ...Object.fromEntries(entries), ...own } as NewOf<E>;
  }

  /** A patch of self-contained values and of plain ones, as merges of the entity's repositories take it. Throws ValueInvalid for a value under the key of its row. */
  async sealPatch(address: RowAddress, patch: Values): Promise<Values> {
    const values = await this.#withHashes(patch);
    const given = this.#sealing.sealed.filter(({ name }) => values[name] !== undefined);
    for (const { name, pieces } of given)
      if (pieces.withRow !== undefined) refuseValue(name, 'a write of the whole row', pieces.withRow);
    const entries = await Promise.all(
      given
        .filter(field => !isMissing(field, values[field.name]))
        .map(async field => [field.name, await this.#sealed(address, field, values[field.name], undefined)]),
    );
    return { ...values, ...Object.fromEntries(entries) };
  }

  /** The row with open values: those of its encrypted properties that were read. Throws KeyUnavailable and CiphertextRefused. */
  async open(stored: StoredOf<E>, options?: OpenOptions): Promise<ClearStored<E>>;
  async open<T>(
    stored: Projected<T, E['name']>,
    options?: OpenOptions,
  ): Promise<Projected<ClearValues<T>, E['name']>>;
  async open(stored: Readable<E>, { onLost }: OpenOptions = {}): Promise<unknown> {
    const values = { ...(stored.value as Values) } as Record<string, unknown>;
    const { contentKey, sealed } = this.#sealing;
    const key = contentKey && values[contentKey.name];
    if (contentKey !== undefined) delete values[contentKey.name];
    await Promise.all(
      sealed.map(async field => {
        const value = values[field.name];
        if (value === undefined) return;
        try {
          values[field.name] = await this.#opened(stored, field, value, key);
        } catch (error) {
          if (!isLoss(error) || onLost === undefined) throw error;
          values[field.name] = onLost({ property: field.name, error });
        }
      }),
    );
    return { ...stored, value: values, ...(stored.whole && { sealed: stored }) };
  }

  /** The rows that a query gives, opened one after the other. */
  async *openAll(
    rows: AsyncIterable<StoredOf<E>>,
    options?: OpenOptions,
  ): AsyncGenerator<ClearStored<E>, void, undefined> {
    for await (const row of rows) yield await this.open(row, options);
  }

  /** The keyed hash of a value, by which rows are found: `where(p => p.emailHash.eq(await patients.hash('emailHash', 'ann@x.org')))`. */
  async hash(name: H, value: unknown): Promise<string> {
    const hash =
      this.#sealing.hashes.get(name) ?? refuseValue(name, 'a keyed hash', 'there is none of this name');
    return this.#hashed(name, hash, value);
  }

  /** Whether a row has to be written again for its values to be under the keys that the ring and the resolver say now. */
  isOutdated(stored: StoredOf<E>): boolean {
    const values = stored.value as Values;
    const { contentKey, sealed } = this.#sealing;
    const ofRow = contentKey && values[contentKey.name];
    const wrapped = ofRow instanceof ContentKey ? parseContentKey(ofRow) : undefined;
    return sealed.some(field => {
      const value = values[field.name];
      if (!(value instanceof Ciphertext)) return false;
      const parsed = parseCiphertext(value);
      const found = parsed?.format === FORMAT.plain ? false : (parsed?.key ?? wrapped)?.keyId;
      return found !== this.#keyId(this.#bound(stored), field.name);
    });
  }

  /** The texts of a value's properties, to compare two values. */
  textOf(value: Values): string {
    const parts = this.entity.plan.fields.map(({ name, property }) => {
      const isGiven = value[name] !== undefined && value[name] !== null;
      return isGiven && !this.#sealing.hashes.has(name)
        ? toBase64Url(plaintextOf(name, innerOf(property), value[name]))
        : null;
    });
    return JSON.stringify(parts);
  }

  #bound(address: RowAddress): RowAddress {
    const { table, partitionKey, rowKey } = address;
    return { table: this.#spec.boundTable ?? table, partitionKey, rowKey };
  }

  #keyId(address: RowAddress, property: string): string | false {
    return this.#spec.resolver?.(address, property) ?? this.#spec.ring.current();
  }

  async #withHashes(values: Values): Promise<Record<string, unknown>> {
    const hashed: Record<string, unknown> = { ...values };
    for (const [name, hash] of this.#sealing.hashes) {
      if (values[name] !== undefined)
        refuseValue(name, 'nothing', `it is the keyed hash of ${hash.of}, which the library makes`);
      const source = values[hash.of];
      if (source === undefined) continue;
      hashed[name] = source === null ? null : await this.#hashed(name, hash, source);
    }
    return hashed;
  }

  async #hashed(name: string, { of, key, normalize }: KeyedHash, value: unknown): Promise<string> {
    const { property } = this.entity.plan.byName.get(of) ?? refuseValue(of, 'a property', 'it is none');
    const given = normalize !== undefined && typeof value === 'string' ? normalize(value) : value;
    const message = joinBytes([
      toUtf8(`${JSON.stringify([this.entity.name, name])}\n`),
      plaintextOf(of, innerOf(property), given),
    ]);
    return toBase64Url(await hmac(key, message));
  }

  /** The key of a row's own, for its properties under it; undefined if there are none. */
  async #contentKey(address: RowAddress, given: readonly SealedField[]): Promise<OpenKey | undefined> {
    const ids = given
      .filter(({ pieces }) => pieces.place === 'row')
      .map(({ name }) => ({ name, id: this.#keyId(this.#bound(address), name) }))
      .filter(({ id }) => id !== false);
    const [first] = ids;
    if (first === undefined || first.id === false) return undefined;
    const other = ids.find(({ id }) => id !== first.id);
    if (other !== undefined)
      refuseValue(
        other.name,
        `under ${first.id}`,
        `the resolver says ${other.id}, and one key of the row has all of its properties`,
      );
    return this.#keys.fresh(first.id, { ...address, property: first.name });
  }

  async #sealed(
    address: RowAddress,
    field: SealedField,
    value: unknown,
    ofRow: OpenKey | undefined,
  ): Promise<Ciphertext> {
    const { name, pieces } = field;
    const bound = this.#bound(address);
    const data = plaintextOf(name, pieces.inner, value);
    const keyId = this.#keyId(bound, name);
    if (keyId === false) return new Ciphertext(joinBytes([Uint8Array.of(FORMAT.plain), data]));
    const isOfRow = pieces.place === 'row';
    const format = isOfRow ? FORMAT.row : FORMAT.selfContained;
    const at = { ...address, property: name };
    const { key, wrapped } = isOfRow && ofRow ? ofRow : await this.#keys.shared(keyId, at);
    const nonce = this.#random(NONCE_BYTES);
    const encrypted = await encrypt(key, nonce, data, boundTo(bound, field, format));
    const header = isOfRow ? new Uint8Array() : formatKey(wrapped);
    return new Ciphertext(joinBytes([Uint8Array.of(format), header, nonce, encrypted]));
  }

  async #opened(
    stored: Readable<E>,
    field: SealedField,
    value: unknown,
    contentKey: unknown,
  ): Promise<unknown> {
    const { table, partitionKey, rowKey } = stored;
    const { name, pieces } = field;
    const at: WantedAt = { table, partitionKey, rowKey, property: name };
    const refuse = (reason: string): never => {
      throw ciphertextRefused(at, reason);
    };
    const parsed =
      (value instanceof Ciphertext ? parseCiphertext(value) : undefined) ??
      refuse('it is not an encrypted value of this library');
    const bound = this.#bound(stored);
    const isPlain = parsed.format === FORMAT.plain;
    if (isPlain && this.#keyId(bound, name) !== false) refuse('it is not encrypted, and should be');
    if (!isPlain && (parsed.format === FORMAT.row) !== (pieces.place === 'row'))
      refuse('its key is not where the entity says');
    const data = isPlain ? parsed.data : await this.#decrypted(at, field, parsed, contentKey, refuse);
    return valueOfPlaintext(name, pieces.inner, data);
  }

  async #decrypted(
    at: WantedAt,
    field: SealedField,
    { format, key: own, nonce, data }: NonNullable<ReturnType<typeof parseCiphertext>>,
    contentKey: unknown,
    refuse: (reason: string) => never,
  ): Promise<Uint8Array> {
    const ofRow = contentKey instanceof ContentKey ? parseContentKey(contentKey) : undefined;
    const wrapped =
      own ??
      ofRow ??
      refuse(
        contentKey === undefined
          ? 'the content key of the row was not read'
          : 'the content key of the row is none',
      );
    const key = await this.#keys.open(wrapped, at);
    const opened = await decrypt(key, nonce, data, boundTo(this.#bound(at), field, format));
    return (
      opened ?? refuse('it was changed, or stands in another table, row or property than it was written for')
    );
  }
}

/** The values of some properties, open. */
type ClearValues<T> = { readonly [K in keyof T]: T[K] extends Ciphertext<infer V> ? V : T[K] };

/** Null is a value of JSON. */
const isMissing = ({ pieces }: SealedField, value: unknown): boolean =>
  value === undefined || (value === null && pieces.inner.json === undefined);
