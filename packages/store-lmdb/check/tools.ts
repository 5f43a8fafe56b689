// What can be done with the files of a store beside serving it: a check, a backup, a restore. A backup is a store like another, so
// both copies go the same way. Whoever calls these runs what reads files in a process of its own, since damage may crash it.
import { resolve } from 'node:path';
import type { EngineTools, Inspection, StoreCopy, StoreReport } from '#store';
import { AtomicInstall, partialPathIn } from './atomic-install.js';
import { type CheckReport, checkFile } from './check.js';
import { checkSnapshot, copySnapshot } from './snapshot.js';

/** LMDB's reader slots are reckoned for so many (environment.ts). */
const WORKERS_MAX = 64;
/** How often a copy says that it goes on. */
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
  // The system copies; it has no loop that damage could keep from ending.
  const copying = setInterval(onProgress, PROGRESS_MS);
  try {
    await copySnapshot(from, path);
  } finally {
    clearInterval(copying);
  }
  return storeReportOf(await checkFile(path, inspection, onProgress));
}

function storeReportOf(report: CheckReport): StoreReport {
  const { findings, findingCount, spaces, droppedSpaces, droppedRows, fileBytes: bytes } = report;
  const { usedPages, freePages, lostPages, loggedChanges } = report;
  const lost = lostPages > 0 ? `, ${lostPages} lost` : '';
  const usage = `${counted(usedPages, 'page')} in use, ${freePages} free${lost}`;
  const logged = `${counted(loggedChanges, 'change')} of rows in data.log, not counted above`;
  const notes = loggedChanges > 0 ? [logged] : [];
  return { findings, findingCount, spaces, droppedSpaces, droppedRows, bytes, usage, notes };
}

const counted = (count: number, one: string): string => `${count} ${count === 1 ? one : `${one}s`}`;
