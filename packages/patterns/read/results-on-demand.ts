// The results of what makes them when they are asked for: a query of one partition or of several, which may refuse only then.
import type { Page, PageOptions, ReadingOptions, Results } from './results.js';

export abstract class ResultsOnDemand<R> implements Results<R> {
  /** Called for each way of reading. Throws what the query is refused for. */
  protected abstract results(): Results<R>;

  page(options: PageOptions = {}): Promise<Page<R>> {
    return this.results().page(options);
  }

  pages(options: PageOptions = {}): AsyncGenerator<Page<R>, void, undefined> {
    return this.results().pages(options);
  }

  take(count: number, options: ReadingOptions = {}): Promise<readonly R[]> {
    return this.results().take(count, options);
  }

  first(options: ReadingOptions = {}): Promise<R | undefined> {
    return this.results().first(options);
  }

  stream(
    options: ReadingOptions & { readonly size?: number | undefined } = {},
  ): AsyncGenerator<R, void, undefined> {
    return this.results().stream(options);
  }

  [Symbol.asyncIterator](): AsyncGenerator<R, void, undefined> {
    return this.stream();
  }
}
