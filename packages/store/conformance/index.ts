// The conformance suite: the laws of store.ts as tests that any engine runs.
import { commitLaws } from './commits.js';
import { lifetimeLaws } from './lifetime.js';
import { modelLaws } from './model.js';
import { orderLaws } from './order.js';
import { scanLaws } from './scans.js';
import { spaceLaws } from './spaces.js';
import { type ConformanceOptions, Suite } from './suite.js';
import { versionLaws } from './versions.js';

export type { ConformanceOptions, OpenedStore } from './suite.js';

/** Declares the tests. An engine that passes them all keeps the laws, as far as tests can show. */
export function conformance(options: ConformanceOptions): void {
  const suite = new Suite(options);
  spaceLaws(suite);
  orderLaws(suite);
  commitLaws(suite);
  versionLaws(suite);
  scanLaws(suite);
  lifetimeLaws(suite);
  modelLaws(suite);
}
