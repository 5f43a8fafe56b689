// A sequence of steps that has each operation on blobs, small and large, and each kind of overwriting one by another. Values above 16 KiB are
// contents, those above 256 KiB are written to their file in several calls.
import { LONG_LIST_BYTES, type Step } from './blob-model.js';

const SMALL = 100;
const LARGE = 20_000;
const LARGER = 300_000;
/** One of its syncs is on the way. */
const HUGE = 9_000_000;
/** Each step fills with another byte. */
let fills = 1;

const step = (kind: Step['kind'], blob: number, size = SMALL, other = 0, fill = fills++): Step => ({
  kind,
  blob,
  other,
  size,
  fill,
});
/** One of two blocks, by its number. */
const block = (at: 0 | 1, size: number): Step => {
  fills += 2;
  return step('block', 0, size, 0, fills - (fills % 2) + at);
};
const list = (first: 0 | 1, size: number): Step => step('list', 0, size, 0, first);
/** A number of pages, from this page on. */
const pages = (kind: 'pages' | 'clear', from: number, count: number): Step =>
  step(kind, 0, count - 1, 0, 64 * (from % 2) + from);

const BLOCK_BLOBS: readonly Step[] = [
  step('put', 0),
  step('put', 0, LARGE),
  step('put', 0, LARGER),
  step('snapshot', 0),
  step('put', 0),
  step('put', 0, LARGE),
  step('deleteSnapshots', 0),
  block(0, LARGE),
  block(1, SMALL),
  block(1, LARGE),
  list(0, 1),
  block(0, SMALL),
  list(0, 1),
  block(1, LARGE),
  list(0, LONG_LIST_BYTES),
  step('copy', 1, SMALL, 0),
  step('snapshot', 0),
  block(1, LARGER),
  list(1, 2),
  step('metadata', 0),
  step('tags', 0),
  step('tier', 0),
  step('lease', 0, SMALL, 0, 1),
  step('lease', 0, SMALL, 0, 0),
  step('copy', 0, SMALL, 1),
  step('delete', 0),
  block(0, LARGE),
  step('put', 0, LARGE),
  step('delete', 0),
];

const APPEND_BLOBS: readonly Step[] = [
  step('makeAppend', 0),
  step('append', 0),
  step('append', 0, LARGE),
  step('snapshot', 0),
  step('append', 0, LARGER),
  step('copy', 2, SMALL, 0),
  step('makeAppend', 0),
  step('append', 0, LARGE),
  step('deleteSnapshots', 0),
  step('put', 0, LARGE),
];

const PAGE_BLOBS: readonly Step[] = [
  step('makePage', 0),
  pages('pages', 2, 4),
  pages('pages', 4, 48),
  pages('clear', 5, 2),
  step('snapshot', 0),
  pages('pages', 10, 45),
  pages('clear', 4, 8),
  step('copy', 1, SMALL, 0),
  step('resize', 0, 6 * 512),
  step('resize', 0, 64 * 512),
  step('deleteSnapshots', 0),
  ...Array.from({ length: 5 }, (_, at) => [pages('pages', 2 * at, 34), step('snapshot', 0)]).flat(),
  pages('pages', 20, 3),
  step('deleteSnapshot', 0),
  step('deleteSnapshots', 0),
  step('makePage', 0),
  step('delete', 0),
  step('makeAppend', 0),
  step('delete', 1),
];

const FROM_URL: readonly Step[] = [
  step('put', 0, LARGE),
  step('putFromUrl', 1, SMALL, 0),
  step('putFromUrl', 1, SMALL, 0),
  step('copyFromUrl', 1, SMALL, 0),
  step('blockFromUrl', 1, SMALL, 0, 0),
  step('list', 1, 2, 0, 0),
  step('makeAppend', 2),
  step('appendFromUrl', 2, SMALL, 0),
  step('appendFromUrl', 2, SMALL, 1),
  step('makePage', 0),
  pages('pages', 2, 48),
  step('makePage', 1),
  step('pagesFromUrl', 1, 47, 0, 2),
  step('pagesFromUrl', 1, 47, 0, 2),
];

const REST: readonly Step[] = [
  step('put', 0, LARGE),
  step('snapshot', 0),
  step('put', 0, LARGE),
  step('snapshot', 0),
  step('deleteSnapshot', 0),
  step('put', 0, HUGE),
  step('deleteSnapshot', 0),
  step('put', 0, LARGE),
  block(0, LARGE),
  step('snapshot', 0),
  step('dropContainer', 0),
  step('put', 0, LARGE),
];

/** Where commits go: to the write-ahead log, or to the tree at once. Each has two sequences, to keep them short. */
export type Setting = 'log' | 'tree' | 'log, copies' | 'tree, copies';

const FIRST: readonly Step[] = [...BLOCK_BLOBS, ...APPEND_BLOBS, ...PAGE_BLOBS];
const COPIES: readonly Step[] = [...FROM_URL, ...REST];

export const stepsOf = (setting: Setting): readonly Step[] => (setting.endsWith('copies') ? COPIES : FIRST);
export const isLogged = (setting: Setting): boolean => setting.startsWith('log');
