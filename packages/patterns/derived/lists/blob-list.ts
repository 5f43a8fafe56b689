// Lists of ids in blobs, one blob a list: read with one request, and written as a whole under the ETag that was read. An append blob of added and removed ids would avoid contention between writers, but a
// reader would have to replay it, it may have 50,000 blocks, and compacting it brings the contention back. Workers of a flow write lists in blobs, and they can wait.

import type { CallOptions } from '../../concurrency/abort.js';
import type { CompiledKey } from '../../model/keys/compiled-key.js';
import { Attempts } from '../../repo/optimistic.js';
import type { Page, PageOptions } from '../../repo/read/results.js';
import type { Service } from '../../repo/write/service.js';
import { BlobContainer, checkContainer } from '../../transport/blob-container.js';
import { PatternError, type RowAddress } from '../../values/pattern-error.js';
import type { Values } from '../../values/property.js';
import type { ContentionCount } from './contention.js';
import { changeIds, type IdChanges, type IdSet, idsOf, NO_IDS, readIds } from './id-set.js';
import { ROWS_ADVICE } from './list.js';

/** Lists in the blobs of a container. */
export interface BlobList {
  readonly name: string;
  readonly container: string;
  /** Its text is the blob's name. */
  readonly key: CompiledKey;
}

/** Throws DefinitionInvalid. */
export function blobList(name: string, key: CompiledKey, container: string): BlobList {
  checkContainer(name, container);
  return Object.freeze({ name, container, key });
}

/** The lists of a definition, in blobs, by the names of these. */
export class BlobLists {
  readonly #list: BlobList;
  readonly #service: Service;
  readonly #container: BlobContainer;
  readonly #counts: ContentionCount;

  constructor(service: Service, list: BlobList, counts: ContentionCount) {
    this.#list = list;
    this.#service = service;
    this.#container = new BlobContainer(service.clients, list.name, list.container);
    this.#counts = counts;
  }

  async ids(name: string, options: CallOptions = {}): Promise<readonly string[]> {
    const { ids } = await this.#read(name, options);
    try {
      return idsOf(ids);
    } catch {
      throw this.#unreadable(name);
    }
  }

  /** Afterwards each id is in the list, or is not. Throws Contention. */
  async change(name: string, changes: IdChanges, options: CallOptions = {}): Promise<void> {
    for (const attempts = new Attempts(this.#service.surroundings, options); ; ) {
      const before = await this.#read(name, options);
      const ids = changeIds(before.ids, changes);
      if (ids === before.ids) return;
      const body = ids.count === 0 ? undefined : ids.bytes;
      const isDone = await this.#container.exchange(name, body, before.etag, options);
      this.#counts.count(this.#list.container, name, !isDone);
      if (isDone) return;
      await attempts.next(this.addressOf(name), before.etag, ROWS_ADVICE);
    }
  }

  /** Names of blobs that may be lists of this definition, by pages. */
  async *names(options: PageOptions): AsyncGenerator<Page<string>> {
    // All names that the key can give begin so.
    const { ge: prefix = '' } = this.#list.key.range({});
    for await (const { blobs, next } of this.#container.pages(prefix, options))
      yield { items: blobs.map(({ name }) => name), next };
  }

  /** The list's key from a blob's name; undefined if the name does not determine all of it. */
  keyOf(name: string): Values | undefined {
    try {
      const key = this.#list.key.decode(name);
      return this.#list.key.encode(key) === name ? key : undefined;
    } catch (thrown) {
      if (PatternError.is(thrown)) return undefined;
      throw thrown;
    }
  }

  /** Blobs have addresses of their own; errors of lists have those of rows. */
  addressOf(name: string): RowAddress {
    return { table: this.#list.container, partitionKey: '', rowKey: name };
  }

  async #read(
    name: string,
    options: CallOptions,
  ): Promise<{ readonly ids: IdSet; readonly etag: string | undefined }> {
    const found = await this.#container.stored(name, options);
    if (found === undefined) return { ids: NO_IDS, etag: undefined };
    const ids = readIds(found.bytes);
    if (ids === undefined) throw this.#unreadable(name);
    return { ids, etag: found.etag };
  }

  #unreadable(name: string): PatternError {
    const reason = 'its bytes are not those of a list';
    return new PatternError('RowUnreadable', { ...this.addressOf(name), entity: this.#list.name, reason });
  }
}
