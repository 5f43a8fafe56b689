// Keeps copies equal to their sources by a flow: a message names a source that was written, or a row with copies; a worker reads both and writes the copies that differ. What it writes follows from what
// the rows say now, so that messages may come late, twice and in any order.
import { Attempts, unlessLost } from '../flow/optimistic.js';
import { addressOfKey } from '../model/address.js';
import { encodePatch } from '../model/encode-entity.js';
import type { AnyEntity, KeyOf, Of } from '../model/entity.js';
import type { StoredOf } from '../model/stored.js';
import { Db } from '../open.js';
import type { Results } from '../read/results.js';
import type { ReadOptions } from '../transport/table-requests.js';
import { isObject } from '../values/is-object.js';
import type { StandardSchema } from '../values/standard-schema.js';
import type { FlowOptions, Step } from '../workflow/definition.js';
import { type Flow, flow } from '../workflow/flow.js';
import { follow } from '../workflow/follow.js';
import { type KeyJson, keyOfJson, rowKeyJson } from '../workflow/key-json.js';
import { type CopySpec, copyPatch } from './embed.js';

/** What a message says: the row that was written, and where to go on among the rows with copies of it. */
export interface CopyInput {
  readonly of: 'source' | 'holder';
  readonly key: KeyJson;
  readonly resume?: string;
}

/** Copies and how they are kept. */
export interface CopiesSpec<H extends AnyEntity, S extends AnyEntity> extends CopySpec<H, S> {
  /** The rows that have copies of a source, by a query of the program. */
  readonly holders: (db: Db, key: KeyOf<S>) => Results<StoredOf<H>>;
}

/** Rows that are changed for one message; for more, the next message goes on. */
export const FAN_OUT = 99;

const isInput = (value: unknown): value is CopyInput =>
  isObject(value) && (value.of === 'source' || value.of === 'holder') && isObject(value.key);

const SCHEMA: StandardSchema<CopyInput, CopyInput> = {
  '~standard': {
    version: 1,
    vendor: 'shelfmark-patterns',
    validate: value => (isInput(value) ? { value } : { issues: [{ message: 'should name a row' }] }),
  },
};

/** A row that should have other copies. */
export interface CopyFinding<H extends AnyEntity> {
  readonly key: KeyOf<H>;
  readonly isRepaired: boolean;
}

/** Copies of a source's properties in the rows of another entity. */
export class Copies<H extends AnyEntity, S extends AnyEntity> {
  readonly flow: Flow<CopyInput, CopyInput>;
  readonly #spec: CopiesSpec<H, S>;

  constructor(name: string, spec: CopiesSpec<H, S>, options: FlowOptions<CopyInput> = {}) {
    this.#spec = spec;
    this.flow = flow(name, SCHEMA, [this.#step()], options);
  }

  /** The message of a write of a source: `copies.flow.write(db, copies.ofSource(key), db => db.repo(Employee).merge(…))`. */
  ofSource(key: KeyOf<S>): CopyInput {
    return { of: 'source', key: rowKeyJson(this.#spec.embedded.source, key) };
  }

  /** The message of a write of a row with copies, which may have another source now. */
  ofHolder(key: KeyOf<H>): CopyInput {
    return { of: 'holder', key: rowKeyJson(this.#spec.holder, key) };
  }

  /** Makes the copies of one row those of its source as it is. Throws Contention. */
  async refresh(db: Db, key: KeyOf<H>, options: ReadOptions = {}): Promise<void> {
    const { holder, embedded, keyOf } = this.#spec;
    const address = addressOfKey(holder, holder.table, key);
    for (const attempts = new Attempts(Db.serviceOf(db).surroundings, options); ; ) {
      const row = await db.repo(holder).get(key, options);
      if (row === undefined) return;
      const { patch, source } = await this.#patch(db, row, options);
      if (patch === undefined) return;
      const written = await unlessLost(() => db.repo(holder).merge(row, patch as never, options));
      // A source that was written in between may have been read by others before the copy was there.
      const sourceKey = keyOf(row.value);
      const again = sourceKey && (await db.repo(embedded.source).get(sourceKey, options));
      if (written !== undefined && again?.etag === source?.etag) return;
      await attempts.next(address, row.etag);
    }
  }

  /** Rows whose copies are not those of their sources, page by page. With `repair` they are refreshed. */
  async *audit(
    db: Db,
    { repair = false, signal }: ReadOptions & { readonly repair?: boolean } = {},
  ): AsyncGenerator<CopyFinding<H>, void, undefined> {
    const { holder } = this.#spec;
    for await (const row of db.repo(holder).scan().allowScan('an audit reads all rows').stream({ signal })) {
      const key = row.value as unknown as KeyOf<H>;
      if ((await this.#patch(db, row, { signal })).patch === undefined) continue;
      const now = await db.repo(holder).get(key, { signal });
      if (now === undefined || (await this.#patch(db, now, { signal })).patch === undefined) continue;
      if (repair) await this.refresh(db, key, { signal });
      yield { key, isRepaired: repair };
    }
  }

  async #patch(db: Db, { value }: StoredOf<H>, options: ReadOptions) {
    const { keyOf, embedded, holder } = this.#spec;
    const key = keyOf(value as Of<H>);
    const source = key && (await db.repo(embedded.source).get(key, options));
    const textOf = (name: string, is: unknown): string | undefined =>
      is === undefined || is === null ? undefined : encodePatch(holder, { [name]: is })[0]?.literal;
    const patch = copyPatch(
      this.#spec,
      value as Of<H>,
      key !== undefined,
      source,
      (name, a, b) => textOf(name, a) === textOf(name, b),
    );
    return { patch, source };
  }

  #step(): Step<CopyInput> {
    const { holder, embedded } = this.#spec;
    const sourceStep = follow<S, CopyInput>({
      name: embedded.name,
      entity: embedded.source,
      key: ({ key }) => keyOfJson(embedded.source, key),
      make: (_, input, { db, signal }) => this.#fanOut(db, input, signal),
    });
    const holderStep = follow<H, CopyInput>({
      name: embedded.name,
      entity: holder,
      key: ({ key }) => keyOfJson(holder, key),
      make: (_, { key }, { db, signal }) => this.refresh(db, keyOfJson(holder, key), { signal }),
    });
    const run: Step<CopyInput>['run'] = (input, context) =>
      (input.of === 'source' ? sourceStep : holderStep).run(input, context) as Promise<undefined>;
    return { name: embedded.name, run };
  }

  /** A page of the rows with copies; the next page is the next message's. */
  async #fanOut(db: Db, input: CopyInput, signal: AbortSignal): Promise<void> {
    const { embedded, holders } = this.#spec;
    const { key, resume } = input;
    const page = await holders(db, keyOfJson(embedded.source, key)).page({ size: FAN_OUT, resume, signal });
    for (const { value } of page.items) await this.refresh(db, value as unknown as KeyOf<H>, { signal });
    if (page.next !== undefined) await this.flow.start(db, { of: 'source', key, resume: page.next });
  }
}
