// Checks a whole data file: the pages, the catalogue, each row, and that the contents named by rows are as they were
// written. It reads the file without LMDB, so that it reports damage instead of following it, and changes nothing.
// docs/backup.md lists what a check cannot see.
import { dirname } from 'node:path';
import { nextTurn } from '#base';
import type { Inspection, StoreReport } from '#store';
import { contentsOf } from '../content/content-path.js';
import { CheckedContents } from './check-contents.js';
import { CheckedRows } from './check-rows.js';
import { catalogOf, freeLists, freeRuns, treesOf } from './file-trees.js';
import { counted, Findings } from './findings.js';
import { PageFile } from './page-file.js';
import { type Entry, PageTree } from './page-tree.js';

/** Milliseconds after which the check yields the event loop. */
const SLICE_MS = 20;

/**
 * No process may overwrite the pages during the check: either none writes, or the caller holds a snapshot
 * (snapshot.ts).
 *
 * @throws StoreError `corrupt` or `unsupported` if the file's head is not a store's, the system's error if it cannot be
 *   read.
 */
export async function checkFile(
  path: string,
  inspection: Inspection,
  onSlice: () => void = () => undefined,
  contents: CheckedContents = new CheckedContents(contentsOf(dirname(path))),
): Promise<StoreReport> {
  const file = new PageFile(path);
  try {
    return await check(file, inspection, onSlice, contents);
  } finally {
    file.close();
  }
}

async function check(
  file: PageFile,
  inspection: Inspection,
  onSlice: () => void,
  contents: CheckedContents,
): Promise<StoreReport> {
  const findings = new Findings();
  const trees = treesOf(file, findings);
  const catalog = catalogOf(file, trees, findings);
  for (const space of catalog.living.values()) {
    const finding = inspection.space(space);
    if (finding !== undefined) findings.add(`${space.account}/${space.name}: ${finding}`);
  }
  // A store whose first opening was interrupted has no format record, and no rows either.
  const isStarted = catalog.chunk !== undefined || [...trees.values()].some(({ entries }) => entries > 0n);
  if (isStarted && catalog.chunk === undefined) findings.add('catalog: the format record is missing.');
  const rows = new CheckedRows(catalog, catalog.chunk ?? 0xffff, inspection, findings, contents);
  let sliceEnd = 0;
  const each = async (name: string, visit: (entry: Entry) => void): Promise<void> => {
    const record = trees.get(name);
    if (record === undefined) return;
    for (const entries of new PageTree(file, name, record, findings).pages()) {
      for (const entry of entries) visit(entry);
      if (contents.hasUnread) await contents.read(findings, onSlice);
      if (performance.now() < sliceEnd) continue;
      onSlice();
      await nextTurn();
      sliceEnd = performance.now() + SLICE_MS;
    }
  };
  await each('rows', entry => rows.addRow(entry));
  await each('long', entry => rows.addLong(entry));
  const spaces = rows.finish();
  contents.addLogged(inspection, catalog.living, findings);
  await contents.read(findings, onSlice);
  releaseFree(file, findings);
  const lost = file.lost > 0 ? `, ${file.lost} lost` : '';
  return {
    findings: findings.sentences,
    findingCount: findings.count,
    spaces,
    droppedSpaces: catalog.dropped.size,
    droppedRows: rows.droppedRows,
    bytes: file.bytes + contents.bytes,
    usage: `${counted(file.used, 'page')} in use, ${file.free} free${lost}`,
    notes: contents.notes(),
  };
}

/** Call when all pages in use are known. */
function releaseFree(file: PageFile, findings: Findings): void {
  for (const list of [...freeLists(file, findings)]) {
    const finding =
      list.readBigUInt64LE(0) > BigInt(list.length / 8 - 1)
        ? 'a list is shorter than it says'
        : releaseList(file, list);
    if (finding !== undefined) findings.add(`free pages: ${finding}.`);
  }
  const { missing } = file;
  if (missing > 0n) findings.add(`pages: the file is cut off, ${missing} of its pages are missing.`);
}

/** Ends at the first page that cannot be free: a damaged run could be endless. */
function releaseList(file: PageFile, list: Buffer): string | undefined {
  for (const [first, count] of freeRuns(list)) {
    for (let page = first; page < first + count; page += 1) {
      const finding = file.release(page);
      if (finding !== undefined) return finding;
    }
  }
  return undefined;
}
