// How results of any kind are read: page by page with a resume token, a given number, or as a stream.
import type { CallOptions } from '../../concurrency/abort.js';
import { PatternError, refuseValue } from '../../values/pattern-error.js';
import { formatToken, parseToken } from './resume-token.js';

/** A page of results, and the token of the next one. */
export interface Page<R> {
  readonly items: readonly R[];
  /** To go on behind this page, in this process or another; undefined behind the last. */
  readonly next: string | undefined;
}

/** Which page, and how large. */
export interface PageOptions extends CallOptions {
  /** Items at most, from 1 to 1,000. A page may have fewer, and yet not be the last. */
  readonly size?: number | undefined;
  /** `next` of an earlier page of the same query. */
  readonly resume?: string | undefined;
}

/** How many items a page on the way has. */
export type StreamOptions = CallOptions & { readonly size?: number | undefined };

/** The results of a query, which is sent when they are asked for. */
export interface Results<R> extends AsyncIterable<R> {
  /** The first page, or the one that `resume` begins. Empty only if nothing is left. */
  page(options?: PageOptions): Promise<Page<R>>;
  /** All pages from there on. */
  pages(options?: PageOptions): AsyncGenerator<Page<R>, void, undefined>;
  /** The first so many, fewer if there are no more. */
  take(count: number, options?: CallOptions): Promise<readonly R[]>;
  first(options?: CallOptions): Promise<R | undefined>;
  /** All, fetched page by page as they are consumed. */
  stream(options?: StreamOptions): AsyncGenerator<R, void, undefined>;
}

/** What the service gives at most. */
export const PAGE_SIZE_MAX = 1000;

/** Throws ValueInvalid for what is not a whole number in this range. */
export function checkWhole(
  property: string,
  value: number,
  least = 1,
  most = Number.MAX_SAFE_INTEGER,
): number {
  if (!(Number.isInteger(value) && value >= least && value <= most)) {
    const end = most === Number.MAX_SAFE_INTEGER ? '' : ` to ${most}`;
    refuseValue(property, `a whole number from ${least}${end}`, `it is ${value}`);
  }
  return value;
}

/** Throws TokenMismatch for a position that is none. */
export function noPosition(): never {
  throw new PatternError('TokenMismatch', { reason: 'it names no position' });
}

/** Some results, and the position behind them; undefined behind the last. */
export interface Part<R, P = unknown> {
  readonly items: readonly R[];
  readonly next: P | undefined;
}

/** Parts as pages that go on by tokens; those without items are passed by. `query` is a text of everything by which two queries can differ, `parts` gives what is behind a position. */
export async function* tokenPages<R>(
  query: string,
  secret: Uint8Array | undefined,
  { size, resume }: PageOptions,
  parts: (from: unknown) => AsyncIterable<Part<R>>,
): AsyncGenerator<Page<R>, void, undefined> {
  checkPageSize(size);
  const from = resume === undefined ? undefined : await parseToken(resume, query, secret);
  for await (const { items, next } of parts(from)) {
    if (items.length === 0) continue;
    yield { items, next: next === undefined ? undefined : await formatToken(query, next, secret) };
  }
}

/** Throws ValueInvalid. */
export const checkPageSize = (size = 1): number => checkWhole('size', size, 1, PAGE_SIZE_MAX);

/** What is made of pages. */
export abstract class PagedResults<R> implements Results<R> {
  abstract pages(options?: PageOptions): AsyncGenerator<Page<R>, void, undefined>;

  abstract take(count: number, options?: CallOptions): Promise<readonly R[]>;

  async page(options?: PageOptions): Promise<Page<R>> {
    for await (const page of this.pages(options)) return page;
    return { items: [], next: undefined };
  }

  async first(options?: CallOptions): Promise<R | undefined> {
    return (await this.take(1, options))[0];
  }

  async *stream(options?: StreamOptions): AsyncGenerator<R, void, undefined> {
    for await (const page of this.pages(options)) yield* page.items;
  }

  [Symbol.asyncIterator](): AsyncGenerator<R, void, undefined> {
    return this.stream();
  }
}

/** Combines pages of several queries, where no single query knows how many results are wanted in total. */
export abstract class StreamedResults<R> extends PagedResults<R> {
  override async take(count: number, { signal }: CallOptions = {}): Promise<readonly R[]> {
    checkWhole('count', count, 0);
    const taken: R[] = [];
    if (count === 0) return taken;
    for await (const item of this.stream({ size: Math.min(count, PAGE_SIZE_MAX), signal })) {
      taken.push(item);
      if (taken.length === count) break;
    }
    return taken;
  }
}
