// Which source a row has, which copies it should have, and which rows have copies of a source. copy-derivation.ts and copies.ts write the differences.

import type { CallOptions } from '../../concurrency/abort.js';
import { addressOfKey, isSameRow } from '../../model/address.js';
import type { AnyEntity, KeyOf, Of } from '../../model/definition.js';
import { encodePatch } from '../../model/encode-entity.js';
import type { Plan } from '../../model/filter/plan.js';
import type { StoredOf } from '../../model/stored.js';
import type { Db } from '../../repo/open.js';
import type { Results } from '../../repo/read/results.js';
import type { RowAddress } from '../../values/pattern-error.js';
import type { Values } from '../../values/property.js';
import type { Fault } from '../audit/audit.js';
import { copiesOf, copyNames, type Embedded, nameOf, versionOf, type WhenDeleted } from './embed.js';

/** Where copies stand: in the partition of their source, written in its transaction, or anywhere, written by a flow. */
export type CopiesPlace = 'same-partition' | 'remote';

/** Rows with copies, and how they are found. */
type Holders<H extends AnyEntity> = Results<StoredOf<H>> & { explain(): Plan };

/** Copies and how they are kept. */
export interface CopiesSpec<H extends AnyEntity = AnyEntity, S extends AnyEntity = AnyEntity> {
  readonly holder: H;
  readonly embedded: Embedded<string, S>;
  /** The source of a row; undefined if it has none. */
  readonly keyOf: NoInfer<(value: Of<H>) => KeyOf<S> | undefined>;
  readonly whenDeleted: WhenDeleted;
  /** `remote` by default. */
  readonly where?: CopiesPlace;
  /** The rows that have copies of a source, by a query of the program. */
  readonly holders: NoInfer<(db: Db, key: KeyOf<S>) => Holders<H>>;
}

export class CopyRules {
  readonly spec: CopiesSpec;

  constructor(spec: CopiesSpec) {
    this.spec = spec;
  }

  /** The source's address; undefined for a row without one. */
  sourceOf(value: Values): RowAddress | undefined {
    const { keyOf, embedded } = this.spec;
    const key = keyOf(value as Of<AnyEntity>);
    return key && addressOfKey(embedded.source, embedded.source.table, key);
  }

  /** Whether two values have the same source, or none. */
  isSameSource(a: Values, b: Values): boolean {
    const [one, other] = [this.sourceOf(a), this.sourceOf(b)];
    return one === undefined || other === undefined ? one === other : isSameRow(one, other);
  }

  /** Whether a write leaves all copied properties of a source as they were. */
  isAsCopied(before: Values, after: Values): boolean {
    const { source, fields } = this.spec.embedded;
    return fields.every(field => sameIn(source)(field, before[field], after[field]));
  }

  /** Whether the value's copies are those of this source, of whichever version; none for undefined. */
  has(value: Values, source: unknown): boolean {
    const { embedded, holder } = this.spec;
    const from = source as Values | undefined;
    const version = value[versionOf(embedded)] ?? undefined;
    if ((version === undefined) !== (from === undefined)) return false;
    return embedded.fields.every(field => {
      const name = nameOf(embedded, field);
      return sameIn(holder)(name, value[name], from?.[field]);
    });
  }

  /** The copies that a value has, as a patch. */
  kept(value: Values): Values {
    return Object.fromEntries(copyNames(this.spec.embedded).map(name => [name, value[name] ?? null]));
  }

  /** Whether two values have the same copies, of the same version. */
  isSameCopies(a: Values, b: Values): boolean {
    const isSame = sameIn(this.spec.holder);
    return copyNames(this.spec.embedded).every(name => isSame(name, a[name], b[name]));
  }

  /** The source, and the patch that makes a row's copies match it; undefined if they do. */
  async compared(
    db: Db,
    value: Values,
    options: CallOptions,
  ): Promise<{
    readonly hasKey: boolean;
    readonly source: StoredOf<AnyEntity> | undefined;
    readonly patch: Values | undefined;
  }> {
    const { keyOf, embedded, whenDeleted } = this.spec;
    const key = keyOf(value as Of<AnyEntity>);
    const hasKey = key !== undefined;
    const source = key && (await db.repo(embedded.source).get(key, options));
    const stays =
      (source === undefined && hasKey && whenDeleted === 'keep') || this.has(value, source?.value);
    return { hasKey, source, patch: stays ? undefined : copiesOf(embedded, source?.value, source?.etag) };
  }

  /** What is wrong with a row's copies. */
  async faultOf(db: Db, value: Values, options: CallOptions): Promise<Fault | undefined> {
    const { hasKey, source, patch } = await this.compared(db, value, options);
    if (hasKey && source === undefined && this.spec.whenDeleted === 'refuse') return 'dangling';
    if (patch === undefined) return undefined;
    if (source === undefined) return 'orphan';
    return this.has(value, undefined) ? 'missing' : 'stale';
  }

  /** The rows with copies of a source, among those that the program's query gives: it may still find rows that have another source now. */
  async *holdersOf(
    db: Db,
    source: Values,
    { signal }: CallOptions,
  ): AsyncGenerator<StoredOf<AnyEntity>, void, undefined> {
    const { holders, embedded } = this.spec;
    const key = source as KeyOf<AnyEntity>;
    const address = addressOfKey(embedded.source, embedded.source.table, key);
    for await (const row of holders(db, key).stream({ signal })) {
      const own = this.sourceOf(row.value as Values);
      if (own !== undefined && isSameRow(own, address)) yield row;
    }
  }
}

/** By what would be stored. */
const sameIn =
  (entity: AnyEntity) =>
  (name: string, a: unknown, b: unknown): boolean =>
    textOf(entity, name, a) === textOf(entity, name, b);

const textOf = (entity: AnyEntity, name: string, is: unknown): string | undefined =>
  is === undefined || is === null
    ? undefined
    : encodePatch(entity, { [name]: is })
        .map(({ literal }) => literal)
        .join();
