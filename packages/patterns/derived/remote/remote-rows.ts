// Makes the remote index rows of one row match that row, whatever happened to either. Index rows are read before their row, and written under the ETags that they then had: if another process
// writes one in between, everything is read again. So an index row never goes back to an earlier version of its row. A worker with an old view of the row can only add an index row where there is none, and
// the check of the row after each write finds that.

import type { CallOptions } from '../../concurrency/abort.js';
import { decodeEntity } from '../../model/decode-entity.js';
import type { AnyEntity, IndexPlan } from '../../model/definition.js';
import {
  type ExpectedIndexRow,
  expectedIndexRow,
  indexNamed,
  isAsExpected,
  tableOfIndex,
  versionOf,
  withSource,
} from '../../model/index-row.js';
import { refuseNewer } from '../../model/refuse-newer.js';
import type { Stored, StoredOf } from '../../model/stored.js';
import { Attempts, isLost } from '../../repo/optimistic.js';
import type { Service } from '../../repo/write/service.js';
import type { RowWrite } from '../../transport/row-write.js';
import type { RowAddress } from '../../values/pattern-error.js';
import type { IndexRowKey } from './index-message.js';

/** A place where an index may have a row of the row. */
interface Place {
  readonly index: IndexPlan;
  readonly address: RowAddress;
}

/** A place, what stands there, and what should. */
interface Compared {
  readonly found: Stored<unknown> | undefined;
  readonly expected: ExpectedIndexRow | undefined;
  readonly place: Place;
}

const textOf = ({ table, partitionKey, rowKey }: RowAddress): string =>
  JSON.stringify([table.toLowerCase(), partitionKey, rowKey]);

/** The rows that remote indexes have of one row of an entity, but for those of unique keys: these may be another row's. */
export class RemoteRows<E extends AnyEntity> {
  readonly #service: Service;
  readonly #entity: E;
  readonly #indexes: readonly IndexPlan[];
  readonly #owner: RowAddress;
  readonly #options: CallOptions;
  readonly #places: Map<string, Place>;

  /** `keys` are those index rows that the row may have had. Throws DefinitionInvalid for an index that the entity has not. */
  constructor(
    service: Service,
    entity: E,
    indexes: readonly IndexPlan[],
    owner: RowAddress,
    keys: readonly IndexRowKey[],
    options: CallOptions,
  ) {
    this.#service = service;
    this.#entity = entity;
    this.#indexes = indexes;
    this.#owner = owner;
    this.#options = options;
    this.#places = new Map();
    for (const [name, partitionKey, rowKey] of keys) {
      const index = indexNamed(entity, name);
      if (index.unique) continue;
      const table = tableOfIndex(entity, index, owner.table);
      this.#add({ index, address: { table, partitionKey, rowKey } });
    }
  }

  /** The row for which the index rows are right. Throws Contention, and what reads and writes throw. */
  async settle(): Promise<StoredOf<E> | undefined> {
    for (const attempts = new Attempts(this.#service.surroundings, this.#options); ; ) {
      const places = [...this.#places.values()];
      const found = await Promise.all(places.map(place => this.#read(place)));
      const row = await this.#readOwner();
      const expected = this.#expectedOf(row);
      const isComplete = expected.every(({ place }) => !this.#add(place));
      // Index rows are read before their row.
      if (!isComplete) continue;
      const compared = places.map((place, at) => ({
        place,
        found: found[at],
        expected: expected.find(each => textOf(each.place.address) === textOf(place.address))?.expected,
      }));
      const written = await this.#write(row, compared);
      if (written === 'nothing') return row;
      if (written === 'all' && (await this.#readOwner())?.etag === row?.etag) return row;
      if (written === 'lost') await attempts.next(this.#owner, row?.etag);
    }
  }

  /** Whether the place is new. */
  #add(place: Place): boolean {
    const text = textOf(place.address);
    if (this.#places.has(text)) return false;
    this.#places.set(text, place);
    return true;
  }

  #expectedOf(
    row: StoredOf<E> | undefined,
  ): readonly { readonly place: Place; readonly expected: ExpectedIndexRow }[] {
    if (row === undefined) return [];
    return this.#indexes.flatMap(index => {
      const expected = expectedIndexRow(this.#entity, index, this.#owner.table, row.value);
      return expected === undefined ? [] : [{ place: { index, address: expected.address }, expected }];
    });
  }

  async #readOwner(): Promise<StoredOf<E> | undefined> {
    const { requests, onDrift } = this.#service;
    const { table } = this.#owner;
    const found = await requests.get(this.#owner, this.#options);
    if (found === undefined) return undefined;
    const row = decodeEntity(this.#entity, found.row, { table, onDrift, etag: found.etag });
    refuseNewer(this.#entity, row);
    return row;
  }

  /** What stands there. Throws what cannot be read, which is left as it is. */
  async #read({ index: { entity }, address }: Place): Promise<Stored<unknown> | undefined> {
    const found = await this.#service.requests.get(address, this.#options);
    if (found === undefined) return undefined;
    const row = decodeEntity(entity, found.row, { table: address.table, etag: found.etag });
    refuseNewer(entity, row);
    return row;
  }

  /** What is missing before what is left over, so that queries find a row under one of its keys at every moment. */
  async #write(
    row: StoredOf<E> | undefined,
    compared: readonly Compared[],
  ): Promise<'all' | 'nothing' | 'lost'> {
    const source = row && versionOf(row);
    const wrong = compared.filter(each => this.#isWrong(each));
    if (wrong.length === 0) return 'nothing';
    const isMissing = ({ expected }: Compared): boolean => expected !== undefined;
    try {
      for (const each of wrong.filter(isMissing)) await this.#put(each, source);
      for (const each of wrong.filter(each => !isMissing(each))) await this.#remove(each);
      return 'all';
    } catch (thrown) {
      if (isLost(thrown)) return 'lost';
      throw thrown;
    }
  }

  #isWrong({ place: { index }, found, expected }: Compared): boolean {
    if (found === undefined || expected === undefined) return found !== undefined || expected !== undefined;
    return !isAsExpected(index, found, expected);
  }

  async #put(
    { expected, found }: Compared,
    source: Parameters<typeof withSource>[1] | undefined,
  ): Promise<void> {
    if (expected === undefined || source === undefined) return;
    const { table } = expected.address;
    const row = withSource(expected.row, source);
    await this.#send(
      found === undefined
        ? { kind: 'create', table, row }
        : { kind: 'replace', table, row, etag: found.etag },
    );
  }

  async #remove({ place, found }: Compared): Promise<void> {
    if (found !== undefined) await this.#send({ kind: 'delete', ...place.address, etag: found.etag });
  }

  async #send(write: RowWrite): Promise<void> {
    const { writes } = this.#service;
    await writes.write({ write, operationId: undefined, previousId: undefined }, this.#options);
  }
}
