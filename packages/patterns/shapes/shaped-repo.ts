// What repositories of large and wide values share: a write depends on the row as it is now, so a write by a key reads the row first.

import type { CallOptions } from '../concurrency/abort.js';
import type { AnyEntity, KeyOf } from '../model/definition.js';
import { asRead, type BareKey, type RowRef, type StoredOf } from '../model/stored.js';
import { writeByRead } from '../repo/optimistic.js';
import type { Service } from '../repo/write/service.js';
import { isObject } from '../values/is-object.js';
import { PatternError, type RowAddress, refuseValue } from '../values/pattern-error.js';

/** The row to be changed: one that was read or written, or a key and the ETag that it must have, `*` for any. */
type Target<E extends AnyEntity, S> = S | RowRef<E> | BareKey<E>;

/** `S` is what is read, `V` what a program gives to be written, `P` its patch. */
export abstract class ShapedRepo<E extends AnyEntity, S extends StoredOf<E>, V, P> {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** Undefined if there is none. */
  abstract get(key: KeyOf<E>, options?: CallOptions): Promise<S | undefined>;
  /** Throws AlreadyExists. */
  abstract create(value: V, options?: CallOptions): Promise<S>;
  protected abstract addressOf(key: KeyOf<E>): RowAddress;
  protected abstract replaced(row: S, value: V, options: CallOptions): Promise<S>;
  protected abstract merged(row: S, patch: P, options: CallOptions): Promise<S>;
  protected abstract deleted(row: S, options: CallOptions): Promise<void>;
  protected abstract patchOf(value: V): P;

  /** What an upsert keeps of the row: all that the value does not have. */
  protected kept(row: S): S {
    return row;
  }

  /** Throws Conflict and NotFound. */
  replace(target: Target<E, S>, value: V, options: CallOptions = {}): Promise<S> {
    return this.#changed(target, options, row => this.replaced(row, value, options));
  }

  /** Changes some properties; `null` and `remove` remove a property. Throws Conflict and NotFound. */
  merge(target: Target<E, S>, patch: P, options: CallOptions = {}): Promise<S> {
    return this.#changed(target, options, row => this.merged(row, patch, options));
  }

  /** Insert Or Replace, after a read. */
  upsert(value: V, options: CallOptions = {}): Promise<S> {
    return this.#upserted(value, options, row => this.replaced(this.kept(row), value, options));
  }

  /** Insert Or Merge, after a read. */
  upsertMerge(value: V, options: CallOptions = {}): Promise<S> {
    return this.#upserted(value, options, row => this.merged(row, this.patchOf(value), options));
  }

  /** Throws Conflict and NotFound. */
  delete(target: Target<E, S>, options: CallOptions = {}): Promise<void> {
    return this.#changed(target, options, row => this.deleted(row, options));
  }

  /** Deletes the row if there is one. Throws Conflict unless the ETag is `*`. */
  async deleteIfExists(target: Target<E, S>, options: CallOptions = {}): Promise<void> {
    try {
      await this.delete(target, options);
    } catch (thrown) {
      if (!PatternError.is(thrown, 'NotFound')) throw thrown;
    }
  }

  protected async byRead<T>(
    key: KeyOf<E>,
    etag: string,
    mayLack: boolean,
    options: CallOptions,
    write: (row: S | undefined) => Promise<T>,
  ): Promise<T> {
    const { surroundings } = this.#service;
    const read = () => this.get(key, options);
    return writeByRead({ surroundings, address: this.addressOf(key), etag, mayLack, read }, options, write);
  }

  /** Writes by the row that was read, or by the present row of a key. */
  async #changed<T>(target: Target<E, S>, options: CallOptions, write: (row: S) => Promise<T>): Promise<T> {
    if (isObject(target) && 'whole' in target) return write(asRead(target as unknown as S));
    const { key, etag } = target as RowRef<E>;
    if (key === undefined || etag === undefined)
      refuseValue('row', 'a row that was read, or { key, etag }', 'it is neither');
    return this.byRead(key, etag, false, options, row => write(row as S));
  }

  async #upserted(value: V, options: CallOptions, write: (row: S) => Promise<S>): Promise<S> {
    const key = value as unknown as KeyOf<E>;
    return this.byRead(key, '*', true, options, row =>
      row === undefined ? this.create(value, options) : write(row),
    );
  }
}
