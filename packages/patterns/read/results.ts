// How results are read, whatever they are results of: page by page with a token to resume by, a given number, or as a stream.
import { PatternError } from '../values/pattern-error.js';

/** A page of results, and the token of the next one. */
export interface Page<R> {
  readonly items: readonly R[];
  /** To go on behind this page, in this process or another; undefined behind the last. */
  readonly next: string | undefined;
}

/** How a read can be ended. */
export interface ReadingOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Which page, and how large. */
export interface PageOptions extends ReadingOptions {
  /** Items at most, from 1 to 1,000. A page may have fewer, and yet not be the last. */
  readonly size?: number | undefined;
  /** `next` of an earlier page of the same query. */
  readonly resume?: string | undefined;
}

/** The results of a query, which is sent when they are asked for. */
export interface Results<R> extends AsyncIterable<R> {
  /** The first page, or the one that `resume` begins. Empty only if nothing is left. */
  page(options?: PageOptions): Promise<Page<R>>;
  /** All pages from there on. */
  pages(options?: PageOptions): AsyncGenerator<Page<R>, void, undefined>;
  /** The first so many, fewer if there are no more. */
  take(count: number, options?: ReadingOptions): Promise<readonly R[]>;
  first(options?: ReadingOptions): Promise<R | undefined>;
  /** All, fetched page by page as they are consumed. */
  stream(
    options?: ReadingOptions & { readonly size?: number | undefined },
  ): AsyncGenerator<R, void, undefined>;
}

/** What the service gives at most. */
export const PAGE_SIZE_MAX = 1000;

/** Throws ValueInvalid. */
export function checkPageSize(size: number | undefined): void {
  if (size !== undefined && !(Number.isInteger(size) && size >= 1 && size <= PAGE_SIZE_MAX))
    throw new PatternError('ValueInvalid', {
      property: 'size',
      expected: `a whole number from 1 to ${PAGE_SIZE_MAX}`,
      reason: `it is ${size}`,
    });
}

/** Throws ValueInvalid. */
export function checkCount(count: number): void {
  if (!(Number.isSafeInteger(count) && count >= 0))
    throw new PatternError('ValueInvalid', {
      property: 'count',
      expected: 'a whole number from 0',
      reason: `it is ${count}`,
    });
}
