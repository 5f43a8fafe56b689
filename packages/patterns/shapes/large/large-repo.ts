// The repository of an entity with large values. It writes the blob, then the row that names it under the ETag that was read, then deletes the blob that the row named before. A program that ends anywhere
// leaves at most a blob that no row names, which the sweeper finds; no row ever names a missing blob.

import type { CallOptions } from '../../concurrency/abort.js';
import { addressOfKey } from '../../model/address.js';
import type { AnyEntity, KeyOf, NewOf, Of } from '../../model/definition.js';
import type { GivenPatch, KeyStays, PatchOf } from '../../model/patch.js';
import type { StoredOf } from '../../model/stored.js';
import { Attempts } from '../../repo/optimistic.js';
import { refuseOtherKey } from '../../repo/write/mutate.js';
import { Repo, type RepoOptions } from '../../repo/write/repo.js';
import type { Service } from '../../repo/write/service.js';
import { isRefusal } from '../../transport/messages/announce.js';
import { fromUtf8 } from '../../values/bytes.js';
import { PatternError, type RowAddress, refuseDefinition, refuseValue } from '../../values/pattern-error.js';
import type { Values } from '../../values/property.js';
import { ShapedRepo } from '../shaped-repo.js';
import { LargeBlobs, type Upload } from './large-blobs.js';
import {
  type BlobPointer,
  bytesOfGiven,
  inBlob,
  inRow,
  type LargeShape,
  type LargeValue,
  largeShapeOf,
} from './large-value.js';

/** Where the blobs are, and the rows. */
export interface LargesOptions extends RepoOptions {
  /** The container must be there. */
  readonly container: string;
}

/** The names of an entity's large properties. */
type LargeName<E extends AnyEntity> = {
  [K in keyof Of<E>]-?: Exclude<Of<E>[K], undefined> extends LargeValue ? K : never;
}[keyof Of<E>] &
  string;

/** The content of a large property: bytes or a text. */
type ContentOf<E extends AnyEntity, K extends LargeName<E>> =
  Of<E> extends { readonly [N in K]?: infer V }
    ? Exclude<V, undefined> extends LargeValue<infer T>
      ? T
      : never
    : never;

type GivenValue<V> = V extends LargeValue<infer T> ? T | LargeValue<T> : V;

/** A value to write: large properties as their content, or as the handle that was read. */
type GivenLarge<V> = { readonly [K in keyof V]: GivenValue<V[K]> };
type GivenLargePatch<E extends AnyEntity> = GivenLarge<PatchOf<E>> & KeyStays<E>;

/** A value whose blobs are uploaded. */
interface Prepared {
  readonly values: Values;
  readonly uploads: readonly Upload[];
}

const handleIn = (value: unknown, name: string): LargeValue | undefined =>
  (value as Values | undefined)?.[name] as LargeValue | undefined;

/** The rows of an entity with large values, read as handles of these. */
export class LargeRepo<E extends AnyEntity> extends ShapedRepo<
  E,
  StoredOf<E>,
  GivenLarge<NewOf<E>>,
  GivenLargePatch<E>
> {
  /** Rows with handles of large values. Its writes do not delete blobs; the sweeper does. */
  readonly rows: Repo<E>;
  readonly #service: Service;
  readonly #entity: E;
  readonly #blobs: LargeBlobs;
  readonly #shapes: ReadonlyMap<string, LargeShape>;

  constructor(service: Service, entity: E, { container, ...options }: LargesOptions) {
    super(service);
    if (service.operationIds === undefined)
      refuseDefinition(
        entity.name,
        'rows with large values need operation ids: without them a write that was done may be told as refused, and its blob be taken away',
      );
    const shapes = entity.plan.fields.flatMap(({ name, property }) => {
      const shape = largeShapeOf(property);
      return shape === undefined ? [] : [[name, shape] as const];
    });
    if (shapes.length === 0) refuseDefinition(entity.name, 'it has no large property');
    this.rows = new Repo(service, entity, options);
    this.#service = service;
    this.#entity = entity;
    this.#blobs = new LargeBlobs(service, entity.name, container);
    this.#shapes = new Map(shapes);
  }

  override get(key: KeyOf<E>, options: CallOptions = {}): Promise<StoredOf<E> | undefined> {
    return this.rows.get(key, options);
  }

  /**
   * The content of a large value; undefined if the row has none. If it was replaced since, the row's present content. Throws RowUnreadable if the blob is missing or does not match the row, and Contention if every read met another write.
   */
  async content<K extends LargeName<E>>(
    row: StoredOf<E>,
    name: K,
    options: CallOptions = {},
  ): Promise<ContentOf<E, K> | undefined> {
    const shape = this.#shapes.get(name);
    if (shape === undefined) refuseValue(name, 'a large property', 'it is none');
    const bytes = await this.#bytesIn(row, name, options);
    if (bytes === undefined) return undefined;
    return (shape?.isText ? fromUtf8(bytes) : bytes) as ContentOf<E, K>;
  }

  override create(value: GivenLarge<NewOf<E>>, options: CallOptions = {}): Promise<StoredOf<E>> {
    return this.#written(undefined, value, options, given => this.rows.create(given as NewOf<E>, options));
  }

  /** `mutate` of a repository; `change` receives handles and returns contents or handles. Throws Contention. */
  mutate(
    key: KeyOf<E>,
    change: (current: Of<E> | undefined) => GivenLarge<NewOf<E>> | undefined,
    options: CallOptions & { readonly attempts?: number } = {},
  ): Promise<StoredOf<E> | undefined> {
    return this.byRead(key, '*', true, options, async before => {
      const value = change(before?.value);
      if (value === undefined) return before;
      refuseOtherKey(this.addressOf(key), this.addressOf(value as KeyOf<E>));
      return before === undefined ? this.create(value, options) : this.replace(before, value, options);
    });
  }

  protected override addressOf(key: KeyOf<E>): RowAddress {
    return addressOfKey(this.#entity, this.rows.table, key);
  }

  protected override replaced(
    row: StoredOf<E>,
    value: GivenLarge<NewOf<E>>,
    options: CallOptions,
  ): Promise<StoredOf<E>> {
    return this.#written(row, value, options, given => this.rows.replace(row, given as NewOf<E>, options));
  }

  protected override merged(
    row: StoredOf<E>,
    patch: GivenLargePatch<E>,
    options: CallOptions,
  ): Promise<StoredOf<E>> {
    return this.#written(row, patch, options, given => this.rows.merge(row, given as GivenPatch<E>, options));
  }

  protected override async deleted(row: StoredOf<E>, options: CallOptions): Promise<void> {
    await this.rows.delete(row, options);
    await this.#blobs.drop(this.#pointersIn(row.value), options);
  }

  protected override patchOf(value: GivenLarge<NewOf<E>>): GivenLargePatch<E> {
    const { byName } = this.#entity.plan;
    const patch = Object.entries(value).filter(([name]) => byName.get(name)?.inKey !== true);
    return Object.fromEntries(patch) as unknown as GivenLargePatch<E>;
  }

  /** Uploads blobs, writes the row, and deletes the blobs that it named before. A refused write deletes the new blobs; after an unknown outcome all stay. */
  async #written(
    before: StoredOf<E> | undefined,
    given: object,
    options: CallOptions,
    write: (given: Values) => Promise<StoredOf<E>>,
  ): Promise<StoredOf<E>> {
    const address = before ?? this.addressOf(given as KeyOf<E>);
    const { values, uploads } = await this.#prepared(address, before, given as Values, options);
    let row: StoredOf<E>;
    try {
      row = await write(values);
    } catch (thrown) {
      if (isRefusal(thrown)) await this.#blobs.drop(uploads, options);
      throw thrown;
    }
    await this.#blobs.restore(address, uploads, options);
    const named = new Set(this.#pointersIn(row.value).map(({ blob }) => blob));
    await this.#blobs.drop(
      this.#pointersIn(before?.value).filter(({ blob }) => !named.has(blob)),
      options,
    );
    return row;
  }

  async #prepared(
    address: RowAddress,
    before: StoredOf<E> | undefined,
    given: Values,
    options: CallOptions,
  ): Promise<Prepared> {
    const values: Record<string, unknown> = { ...given };
    const uploads: Upload[] = [];
    try {
      for (const [name, shape] of this.#shapes) {
        const value = given[name];
        if (value === undefined || value === null || typeof value === 'symbol') continue;
        const bytes =
          bytesOfGiven(value, name, shape) ??
          (await this.#ofOther(value as LargeValue, before, name, options));
        if (bytes === undefined) continue;
        if (bytes.length <= shape.over) values[name] = inRow(bytes);
        else {
          const upload = await this.#blobs.upload(address, bytes, options);
          uploads.push(upload);
          values[name] = inBlob(upload);
        }
      }
      // After a long pause a sweeper may have deleted the blob.
      if (uploads.some(upload => this.#blobs.isLate(upload))) {
        await this.#blobs.drop(uploads, options);
        return await this.#prepared(address, before, given, options);
      }
    } catch (thrown) {
      await this.#blobs.drop(uploads, options);
      throw thrown;
    }
    return { values, uploads };
  }

  /** The content of a handle of another row or version, which gets a blob of its own; undefined for this row's own handle. */
  async #ofOther(
    { pointer, bytes }: LargeValue,
    before: StoredOf<E> | undefined,
    name: string,
    options: CallOptions,
  ): Promise<Uint8Array | undefined> {
    if (pointer === undefined) return bytes;
    if (handleIn(before?.value, name)?.pointer?.blob === pointer.blob) return undefined;
    return (
      (await this.#blobs.read(pointer, options)) ??
      refuseValue(name, 'a value that is there', `there is no blob ${pointer.blob}`)
    );
  }

  #pointersIn(value: unknown): readonly BlobPointer[] {
    return [...this.#shapes.keys()].flatMap(name => handleIn(value, name)?.pointer ?? []);
  }

  /** The row may have been written since it was read, and its former blob be gone: it is damaged if it still names what is not there. */
  async #bytesIn(row: StoredOf<E>, name: string, options: CallOptions): Promise<Uint8Array | undefined> {
    const attempts = new Attempts(this.#service.surroundings, options);
    let read: StoredOf<E> | undefined = row;
    for (let missing: string | undefined; ; ) {
      const handle = handleIn(read?.value, name);
      if (handle?.pointer === undefined) return handle?.bytes;
      const { blob } = handle.pointer;
      if (blob === missing) {
        const { table, partitionKey, rowKey, entity } = row;
        const reason = `the blob ${blob} of its ${name} is gone, or is not what the row says`;
        throw new PatternError('RowUnreadable', { table, partitionKey, rowKey, entity, reason });
      }
      const found = await this.#blobs.read(handle.pointer, options);
      if (found !== undefined) return found;
      // The row that was given may be old; one that was just read has been replaced by a writer, who may go on.
      if (missing !== undefined) await attempts.next(row, read?.etag);
      missing = blob;
      read = await this.get(row.value as unknown as KeyOf<E>, options);
    }
  }
}
