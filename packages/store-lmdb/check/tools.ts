// What can be done with a store's files apart from serving them: check, backup, restore. A backup is an ordinary store,
// so both copies use the same code. The caller runs the functions that read files in a process of their own, since
// damage may crash it.
import { dirname, resolve } from 'node:path';
import type { EngineTools, Inspection, StoreCopy, StoreReport } from '#store';
import { contentsOf } from '../content/content-path.js';
import { AtomicInstall, partialPathIn } from './atomic-install.js';
import { type CheckReport, checkFile } from './check.js';
import { CheckedContents } from './check-contents.js';
import { ContentCopies } from './copy-contents.js';
import { checkSnapshot, copySnapshot, dataFile, withContentsPinned } from './snapshot.js';

/** LMDB's reader slots are dimensioned for this many (environment.ts). */
const WORKERS_MAX = 64;
/** How often a copy reports progress. */
const PROGRESS_MS = 1000;

export function lmdbTools(place: string): EngineTools {
  const directory = resolve(place);
  return {
    place: directory,
    directory,
    workersMax: WORKERS_MAX,
    check: async (inspection, onProgress) =>
      storeReportOf(await checkSnapshot(directory, inspection, onProgress)),
    backup: to => copyOf(directory, to),
    restore: from => copyOf(from, directory),
  };
}

const copyOf = (from: string, to: string): StoreCopy => ({
  prepare: () => new AtomicInstall(to),
  make: (inspection, onProgress) => copyAndCheck(from, partialPathIn(to), inspection, onProgress),
});

async function copyAndCheck(
  from: string,
  path: string,
  inspection: Inspection,
  onProgress: () => void,
): Promise<StoreReport> {
  const source = dataFile(from);
  return withContentsPinned(source, async () => {
    // The system copies; it has no loop that damage could keep from ending.
    const copying = setInterval(onProgress, PROGRESS_MS);
    try {
      await copySnapshot(from, path);
    } finally {
      clearInterval(copying);
    }
    const copies = new ContentCopies(dirname(path), onProgress);
    const contents = new CheckedContents(contentsOf(dirname(source)), [], content => copies.add(content));
    const report = await checkFile(path, inspection, onProgress, contents);
    if (report.findingCount === 0) copies.finish();
    return storeReportOf(report);
  });
}

function storeReportOf(report: CheckReport): StoreReport {
  const { findings, findingCount, spaces, droppedSpaces, droppedRows, fileBytes } = report;
  const { usedPages, freePages, lostPages, loggedChanges } = report;
  const { contents, contentBytes, unsummedContents } = report;
  const lost = lostPages > 0 ? `, ${lostPages} lost` : '';
  const usage = `${counted(usedPages, 'page')} in use, ${freePages} free${lost}`;
  const logged = `${counted(loggedChanges, 'change')} of rows in data.log, not counted above`;
  const beside = `${counted(contents, 'content')} beside the rows, ${contentBytes} bytes`;
  const unsummed = `${counted(unsummedContents, 'content')} without checksums, from before there were any: of these the bytes are not checked`;
  const notes = [
    ...(contents > 0 ? [beside] : []),
    ...(unsummedContents > 0 ? [unsummed] : []),
    ...(loggedChanges > 0 ? [logged] : []),
  ];
  const bytes = fileBytes + contentBytes;
  return { findings, findingCount, spaces, droppedSpaces, droppedRows, bytes, usage, notes };
}

const counted = (count: number, one: string): string => `${count} ${count === 1 ? one : `${one}s`}`;
