// The conformance suites: the laws of store.ts, and those of content.ts, as tests that any engine runs.
import type { StoreWithContent } from '../content.js';
import { commitLaws } from './commits.js';
import { contentEndLaws } from './content-end.js';
import { contentLifetimeLaws } from './content-lifetime.js';
import { contentLaws } from './contents.js';
import { lifetimeLaws } from './lifetime.js';
import { modelLaws } from './model.js';
import { orderLaws } from './order.js';
import { scanLaws } from './scans.js';
import { spaceLaws } from './spaces.js';
import { type ConformanceOptions, Suite } from './suite.js';

export type { ConformanceOptions, OpenedStore } from './suite.js';

/** Declares the tests. An engine that passes them all keeps the laws, as far as tests can show. */
export function conformance(options: ConformanceOptions): void {
  const suite = new Suite(options);
  spaceLaws(suite);
  orderLaws(suite);
  commitLaws(suite);
  scanLaws(suite);
  lifetimeLaws(suite);
  modelLaws(suite);
}

export interface ContentConformanceOptions extends ConformanceOptions<StoreWithContent> {
  /** More bytes of contents than any opened store has space for. Without it `full` is not tested. */
  readonly contentBytesMax?: number | undefined;
}

/** The same for the contents of an engine. */
export function contentConformance(options: ContentConformanceOptions): void {
  const suite = new Suite(options);
  contentLaws(suite);
  contentEndLaws(suite);
  contentLifetimeLaws(suite, options.contentBytesMax);
}
