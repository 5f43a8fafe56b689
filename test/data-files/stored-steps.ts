// The contents of test/fixtures/store-contents-2 as code: blobs of all kinds, small and large, and what a store
// of that form must always return for them. It is never changed; another format gets another fixture.
import { LONG_LIST_BYTES, type Step } from '../blobs/blob-model.js';

const step = (kind: Step['kind'], blob: number, size: number, fill: number): Step => ({
  kind,
  blob,
  other: 0,
  size,
  fill,
});

/** A block blob with a long list, a snapshot, and uncommitted blocks; an append blob; a page blob with a snapshot. */
export const STEPS: readonly Step[] = [
  step('put', 0, 20_000, 1),
  step('snapshot', 0, 1, 0),
  step('block', 0, 20_000, 2),
  step('block', 0, 100, 3),
  step('list', 0, LONG_LIST_BYTES, 0),
  step('metadata', 0, 1, 7),
  step('tags', 0, 1, 8),
  step('tier', 0, 1, 0),
  step('block', 0, 30_000, 4),
  step('block', 0, 10, 5),
  step('makeAppend', 1, 1, 0),
  step('append', 1, 100, 9),
  step('append', 1, 20_000, 10),
  step('append', 1, 300_000, 11),
  step('makePage', 2, 1, 0),
  step('pages', 2, 39, 2),
  step('pages', 2, 1, 60),
  step('snapshot', 2, 1, 0),
  step('clear', 2, 3, 4),
  step('pages', 2, 39, 20),
];
