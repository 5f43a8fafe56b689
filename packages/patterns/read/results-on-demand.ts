// The results of what makes them when they are asked for: a query of one partition or of several, which may refuse only then.
import { type Page, PagedResults, type PageOptions, type ReadingOptions, type Results } from './results.js';

export abstract class ResultsOnDemand<R> extends PagedResults<R> {
  /** Called for each way of reading. Throws what the query is refused for. */
  protected abstract results(): Results<R>;

  override async page(options?: PageOptions): Promise<Page<R>> {
    return this.results().page(options);
  }

  override async *pages(options?: PageOptions): AsyncGenerator<Page<R>, void, undefined> {
    yield* this.results().pages(options);
  }

  override async take(count: number, options?: ReadingOptions): Promise<readonly R[]> {
    return this.results().take(count, options);
  }

  override async *stream(
    options?: ReadingOptions & { readonly size?: number | undefined },
  ): AsyncGenerator<R, void, undefined> {
    yield* this.results().stream(options);
  }
}
