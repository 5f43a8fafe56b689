// The results of one query: follows continuations to the end, over empty pages too, and decodes rows. query.ts makes the query and decides whether it
// may be sent.
import type { RowQuery } from '../filter/plan.js';
import type { RowSource } from '../transport/row-source.js';
import { PatternError } from '../values/pattern-error.js';
import type { WireObject } from '../values/read-wire.js';
import { type FetchOptions, fetchRows, type Position } from './fetch-rows.js';
import {
  checkCount,
  checkPageSize,
  PAGE_SIZE_MAX,
  type Page,
  type PageOptions,
  type ReadingOptions,
  type Results,
} from './results.js';
import { formatToken, parseToken, queryHash } from './resume-token.js';

export interface RowRunSpec<R> {
  readonly source: RowSource;
  readonly query: RowQuery;
  /** Undefined for a row that is none of the results. Throws what should end the query. */
  readonly decode: (row: WireObject) => R | undefined;
  /** What else makes results differ: the entity and its version. */
  readonly shape: string;
  readonly secret: Uint8Array | undefined;
  readonly concurrency: number;
}

interface Decoded<R> {
  readonly items: readonly R[];
  readonly next: Position | undefined;
}

function placeIn(value: unknown): Position {
  if (typeof value === 'object' && value !== null) {
    if ('n' in value && Number.isSafeInteger(value.n) && Number(value.n) >= 0) return { n: Number(value.n) };
    if ('p' in value && typeof value.p === 'string')
      return { p: value.p, r: 'r' in value && typeof value.r === 'string' ? value.r : undefined };
  }
  throw new PatternError('TokenMismatch', { reason: 'it names no position' });
}

export class RowResults<R> implements Results<R> {
  readonly #spec: RowRunSpec<R>;
  readonly #hash: string;

  constructor(spec: RowRunSpec<R>) {
    this.#spec = spec;
    const { table, filter = '', select = [] } = spec.query;
    this.#hash = queryHash([table, filter, select, spec.shape]);
  }

  async page({ size, resume, signal }: PageOptions = {}): Promise<Page<R>> {
    checkPageSize(size);
    const { items, next } = await this.#some({ size, signal, from: this.#placeOf(resume) });
    return { items, next: this.#tokenOf(next) };
  }

  async *pages({ size, resume, signal }: PageOptions = {}): AsyncGenerator<Page<R>, void, undefined> {
    checkPageSize(size);
    let from = this.#placeOf(resume);
    do {
      const { items, next } = await this.#some({ size, signal, from });
      if (items.length > 0) yield { items, next: this.#tokenOf(next) };
      from = next;
    } while (from !== undefined);
  }

  async take(count: number, { signal }: ReadingOptions = {}): Promise<readonly R[]> {
    checkCount(count);
    const taken: R[] = [];
    let from: Position | undefined;
    while (taken.length < count) {
      const size = Math.min(count - taken.length, PAGE_SIZE_MAX);
      const { items, next } = await this.#some({ size, signal, from });
      taken.push(...items);
      if (next === undefined) break;
      from = next;
    }
    return taken;
  }

  async first(options: ReadingOptions = {}): Promise<R | undefined> {
    return (await this.take(1, options))[0];
  }

  async *stream(
    options: ReadingOptions & { readonly size?: number | undefined } = {},
  ): AsyncGenerator<R, void, undefined> {
    for await (const page of this.pages(options)) yield* page.items;
  }

  [Symbol.asyncIterator](): AsyncGenerator<R, void, undefined> {
    return this.stream();
  }

  /** The next page that has items; an empty one only at the end. */
  async #some({ size, signal, from }: Omit<FetchOptions, 'concurrency'>): Promise<Decoded<R>> {
    const { source, query, decode, concurrency } = this.#spec;
    for (let position = from; ; ) {
      signal?.throwIfAborted();
      const { rows, next } = await fetchRows(source, query, { size, from: position, signal, concurrency });
      const items = rows.flatMap(row => decode(row) ?? []);
      if (items.length > 0 || next === undefined) return { items, next };
      position = next;
    }
  }

  #placeOf(token: string | undefined): Position | undefined {
    return token === undefined ? undefined : placeIn(parseToken(token, this.#hash, this.#spec.secret));
  }

  #tokenOf(position: Position | undefined): string | undefined {
    return position && formatToken(this.#hash, position, this.#spec.secret);
  }
}
