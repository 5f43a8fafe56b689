// The trees of a data file, by their names, and its lists of free pages: as a check reads them, without LMDB and without
// a write, so the file may be damaged or on a read-only medium. No process may overwrite its pages in the meantime.
import { StoreError } from '#store';
import { PAGE_BYTES } from '../lmdb/file-head.js';
import {
  FREE_RECORD_AT,
  NAMES_RECORD_AT,
  NODE_TREE,
  readTreeRecord,
  TREE_RECORD_BYTES,
  type TreeRecord,
} from '../lmdb/page-format.js';
import { CheckedCatalog } from './check-catalog.js';
import { Findings } from './findings.js';
import { PageFile } from './page-file.js';
import { PageTree, type TreeKind } from './page-tree.js';

const NAMES: readonly string[] = ['catalog', 'long', 'rows'];
const FREE_KEY_BYTES = 8;
/** Keys are transaction numbers, which is flag 08; 4000 marks a file without a directory of its own. */
const FREE: TreeKind = { flags: 0x4008, compare: compareFreeKeys };

export function treesOf(file: PageFile, findings: Findings): ReadonlyMap<string, TreeRecord> {
  const trees = new Map<string, TreeRecord>();
  const names = readTreeRecord(file.meta.bytes, NAMES_RECORD_AT);
  for (const { key, value, flags } of new PageTree(file, 'names', names, findings).entries()) {
    const name = NAMES.find(known => key.toString('latin1') === `${known}\0`);
    if (name === undefined || flags !== NODE_TREE || value.length !== TREE_RECORD_BYTES)
      findings.add(`names: '${key.toString('latin1')}' is not a tree of a store.`);
    else trees.set(name, readTreeRecord(value, 0));
  }
  // Opening the store again creates what an interrupted opening left out; only the format can be there before.
  const isBegun = (trees.get('catalog')?.entries ?? 0n) > 1n;
  for (const name of NAMES)
    if (isBegun && !trees.has(name)) findings.add(`names: the tree '${name}' is missing.`);
  return trees;
}

export function catalogOf(
  file: PageFile,
  trees: ReadonlyMap<string, TreeRecord>,
  findings: Findings,
): CheckedCatalog {
  const catalog = new CheckedCatalog(findings);
  const record = trees.get('catalog');
  if (record !== undefined)
    for (const entry of new PageTree(file, 'catalog', record, findings).entries()) catalog.add(entry);
  catalog.finish();
  return catalog;
}

/** Fails with `corrupt` at the first finding, `unsupported`, or the system's error. */
export function readCatalog(path: string): CheckedCatalog {
  const findings = new Findings();
  const catalog = withFile(path, file => catalogOf(file, treesOf(file, findings), findings));
  const [finding] = findings.sentences;
  if (finding !== undefined) throw new StoreError('corrupt', `${path} is damaged: ${finding}`);
  return catalog;
}

/** The lists of free pages. */
export function* freeLists(file: PageFile, findings: Findings): Generator<Buffer> {
  const record = readTreeRecord(file.meta.bytes, FREE_RECORD_AT);
  for (const { key, value } of new PageTree(file, 'free pages', record, findings, FREE).entries()) {
    if (key.length === FREE_KEY_BYTES && value.length >= 8 && value.length % 8 === 0) yield value;
    else findings.add('free pages: a list is damaged.');
  }
}

/** A list holds its length, then pages; -n and a page stand for n pages from that page, which is 0 if it is missing. */
export function* freeRuns(list: Buffer): Generator<readonly [page: number, count: number]> {
  const length = Math.min(Number(list.readBigUInt64LE(0)), list.length / 8 - 1);
  const entryAt = (index: number): number => (index <= length ? Number(list.readBigInt64LE(8 * index)) : 0);
  for (let index = 1; index <= length; index += 1) {
    const entry = entryAt(index);
    if (entry > 0) yield [entry, 1];
    if (entry >= 0) continue;
    index += 1;
    yield [entryAt(index), -entry];
  }
}

/**
 * How much of a data file LMDB can reuse before the file grows; 0 if it cannot be read: callers have a fallback. Call
 * inside a write transaction, since another process may otherwise change the lists while they are read.
 */
export function freeBytes(path: string): number {
  try {
    return withFile(path, file => {
      let pages = 0;
      // Free pages at the end of the file may not exist in it; page 0 is a run's that has none.
      for (const list of freeLists(file, new Findings()))
        for (const [page, count] of freeRuns(list))
          if (page > 0 && page * PAGE_BYTES < file.bytes) pages += count;
      return pages * PAGE_BYTES;
    });
  } catch {
    return 0;
  }
}

function withFile<T>(path: string, use: (file: PageFile) => T): T {
  const file = new PageFile(path);
  try {
    return use(file);
  } finally {
    file.close();
  }
}

function compareFreeKeys(a: Buffer, b: Buffer): number {
  const [one, other] = [a, b].map(key => (key.length === FREE_KEY_BYTES ? key.readBigUInt64LE() : 0n));
  return Number((one ?? 0n) - (other ?? 0n));
}
