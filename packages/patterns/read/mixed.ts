// Queries over rows of several entities of one table, each decoded as its own type. A row that matches no entity is given undecoded: one bad row never
// ends the reading of the others.
import { admit, checkReason } from '../filter/admit.js';
import { allOf, type Condition, TRUE } from '../filter/condition.js';
import { keyCondition } from '../filter/key-condition.js';
import { type Plan, planOf, type RowQuery, rowQuery } from '../filter/plan.js';
import type { KeyRange } from '../keys/compiled-key.js';
import { type Bag, decodeBag } from '../model/bag.js';
import { checkTable } from '../model/check-table.js';
import { decodeMixed, type Named } from '../model/decode-mixed.js';
import type { AnyEntity, PartitionOf } from '../model/entity.js';
import { type AnyPatternError, PatternError } from '../values/pattern-error.js';
import type { WireObject } from '../values/read-wire.js';
import { POINT_CONCURRENCY, type QuerySettings } from './query.js';
import type { Page, PageOptions, ReadingOptions, Results } from './results.js';
import { RowResults } from './row-results.js';

/** A row of no entity, or one that its entity cannot read. */
export type UnknownRow = Bag & {
  /** Why an entity that the row names could not read it. */
  readonly fault: AnyPatternError | undefined;
};

/** A row of one of the entities, or an unknown one: `entity` says which, and is undefined for unknown ones. */
export type MixedRow<E extends readonly AnyEntity[]> = Named<E[number]> | UnknownRow;

export interface MixedSettings extends QuerySettings {
  /** Names the entity of a row without a tag. Undefined leaves it unknown. */
  readonly resolve?: ((row: Bag) => string | undefined) | undefined;
}

function fail(subject: string, reason: string): never {
  throw new PatternError('DefinitionInvalid', { subject, reason });
}

function tableOf(entities: readonly AnyEntity[]): string {
  const [first, ...others] = entities;
  if (first === undefined) return fail('mixed()', 'it has no entities');
  const other = others.find(({ table }) => table.toLowerCase() !== first.table.toLowerCase());
  if (other !== undefined)
    fail('mixed()', `${first.name} is in ${first.table}, and ${other.name} in ${other.table}`);
  checkTable(entities);
  return first.table;
}

/** The rows of a partition, or a part of them. */
export class MixedQuery<E extends readonly AnyEntity[]> implements Results<MixedRow<E>> {
  readonly #entities: E;
  readonly #settings: MixedSettings;
  readonly #query: RowQuery;
  readonly #reason: string | undefined;

  constructor(entities: E, settings: MixedSettings, condition: Condition, reason?: string) {
    this.#entities = entities;
    this.#settings = settings;
    this.#query = rowQuery(settings.table ?? tableOf(entities), condition, undefined);
    this.#reason = reason;
  }

  explain(): Plan {
    return planOf(this.#query);
  }

  /** Those of the rows whose row keys are in the range. */
  rows(range: KeyRange): MixedQuery<E> {
    const condition = allOf([this.#query.condition, keyCondition('RowKey', range)]);
    return new MixedQuery(this.#entities, this.#settings, condition, this.#reason);
  }

  allowScan(reason: string): MixedQuery<E> {
    const allowed = checkReason(this.#query, reason);
    return new MixedQuery(this.#entities, this.#settings, this.#query.condition, allowed);
  }

  page(options: PageOptions = {}): Promise<Page<MixedRow<E>>> {
    return this.#results().page(options);
  }

  pages(options: PageOptions = {}): AsyncGenerator<Page<MixedRow<E>>, void, undefined> {
    return this.#results().pages(options);
  }

  take(count: number, options: ReadingOptions = {}): Promise<readonly MixedRow<E>[]> {
    return this.#results().take(count, options);
  }

  first(options: ReadingOptions = {}): Promise<MixedRow<E> | undefined> {
    return this.#results().first(options);
  }

  stream(
    options: ReadingOptions & { readonly size?: number | undefined } = {},
  ): AsyncGenerator<MixedRow<E>, void, undefined> {
    return this.#results().stream(options);
  }

  [Symbol.asyncIterator](): AsyncGenerator<MixedRow<E>, void, undefined> {
    return this.stream();
  }

  #results(): RowResults<MixedRow<E>> {
    admit(this.#query, this.#settings, this.#reason);
    return new RowResults({
      source: this.#settings.source,
      query: this.#query,
      decode: row => this.#decode(row),
      shape: this.#entities.map(({ name, version }) => `${name}.${version}`).join(),
      secret: this.#settings.tokenSecret,
      concurrency: this.#settings.concurrency ?? POINT_CONCURRENCY,
    });
  }

  #decode(row: WireObject): MixedRow<E> {
    const { onDrift, resolve } = this.#settings;
    const { table } = this.#query;
    const options = { table, onDrift, resolve };
    try {
      const found = decodeMixed(this.#entities, row, options);
      return found.entity === undefined
        ? { ...(found as Bag), fault: undefined }
        : (found as Named<E[number]>);
    } catch (thrown) {
      if (!PatternError.is(thrown)) throw thrown;
      return { ...decodeBag(row, { table, tag: this.#entities[0]?.tag }), fault: thrown };
    }
  }
}

/** What mixed queries begin with. */
export interface MixedReads<E extends readonly AnyEntity[]> {
  /** All rows of a partition, which is named by its text or by what the entities' partition keys are made of. */
  partition(key: string | PartitionOf<E[number]>): Omit<MixedQuery<E>, 'allowScan'>;
  /** All rows of the table. */
  scan(): Pick<MixedQuery<E>, 'allowScan' | 'explain'>;
  /** The same in another table than the entities'. */
  inTable(table: string): MixedReads<E>;
  /** The same, with a function that names the entity of a row without a tag. */
  resolving(resolve: (row: Bag) => E[number]['name'] | undefined): MixedReads<E>;
}

type Values = Readonly<Record<string, unknown>>;

/** The one text that the values are in all entities' partition keys. */
function partitionKeyOf(entities: readonly AnyEntity[], values: Values): string {
  const changing = entities.find(({ plan }) => plan.partition.changing.length > 0);
  if (changing !== undefined)
    throw new PatternError('BucketsChanging', {
      entity: changing.name,
      reason: 'its partition is one of several; name each by its text',
    });
  const texts = new Set(
    entities
      .filter(({ plan }) => plan.partition.names.every(name => values[name] !== undefined))
      .map(({ plan }) => plan.partition.encode(values)),
  );
  const [text] = texts;
  if (text === undefined || texts.size > 1)
    throw new PatternError('KeyInvalid', {
      part: 'partition',
      reason: text === undefined ? 'is not given' : 'is not the same for all entities',
    });
  return text;
}

/** Reads of several entities of one table. Throws DefinitionInvalid if their rows could not be told apart. */
export function mixedReads<const E extends readonly AnyEntity[]>(
  entities: E,
  settings: MixedSettings,
): MixedReads<E> {
  tableOf(entities);
  return {
    partition: key => {
      const eq = typeof key === 'string' ? key : partitionKeyOf(entities, key as Values);
      return new MixedQuery(entities, settings, keyCondition('PartitionKey', { eq }));
    },
    scan: () => new MixedQuery(entities, settings, TRUE),
    inTable: table => mixedReads(entities, { ...settings, table }),
    resolving: resolve => mixedReads(entities, { ...settings, resolve }),
  };
}
