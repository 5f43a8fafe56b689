// The part of `verify` for queues and containers: their files, and the contents that the indexes of containers name.
import { RowError } from '../line/row-error.js';
import { textLines } from '../line/text-lines.js';
import {
  contentPath,
  indexPath,
  isContentName,
  messagesPath,
  parseBlob,
  parseMessage,
} from './blob-index.js';
import type { DumpFiles } from './dump-files.js';
import type { DumpedFile, Manifest } from './manifest.js';

/** Whether queues and containers and their files have names that a dump uses. */
export function hasWholeContents({ queues = [], containers = [] }: Manifest): boolean {
  return (
    [queues, containers].every(each => Array.isArray(each)) &&
    queues.every(
      ({ name, messages, files }) =>
        typeof name === 'string' &&
        isContentName(name) &&
        files.every(({ path }) => path === messagesPath(name)) &&
        files.length === (messages === null ? 0 : 1),
    ) &&
    containers.every(
      ({ name, files }) =>
        typeof name === 'string' &&
        isContentName(name) &&
        files.length === 1 &&
        files.every(({ path }) => path === indexPath(name)),
    )
  );
}

/** The lines of a file. */
export async function* linesOf(files: DumpFiles, path: string): AsyncGenerator<string, void> {
  for await (const lines of textLines(files.pieces(path))) for (const { text } of lines) yield text;
}

/** Adds the files of contents to those that are summed up, each once; reports lines that do not belong in an index. */
export async function addContentFiles(
  dumpFiles: DumpFiles,
  { queues = [], containers = [] }: Manifest,
  add: (path: string, told: Pick<DumpedFile, 'bytes' | 'sha256'>) => Promise<void>,
  tell: (path: string, message: string) => void,
): Promise<void> {
  const seen = new Set<string>();
  const check = async (file: DumpedFile, take: (text: string) => Promise<boolean>): Promise<void> => {
    await add(file.path, file);
    if (!(await dumpFiles.has(file.path))) return;
    let rows = 0;
    try {
      for await (const text of linesOf(dumpFiles, file.path)) {
        rows++;
        if (!(await take(text))) return tell(file.path, `line ${rows} is not as a dump writes it`);
      }
    } catch (error) {
      if (!(error instanceof RowError)) throw error;
      return tell(file.path, error.message);
    }
    if (rows !== file.rows) tell(file.path, `it has ${rows} lines, not ${file.rows}`);
  };
  for (const { files } of containers)
    for (const file of files)
      await check(file, async text => {
        const blob = parseBlob(text);
        if (blob === undefined) return false;
        const { sha256, bytes } = blob;
        if (!seen.has(sha256)) await add(contentPath(sha256), { bytes, sha256 });
        seen.add(sha256);
        return true;
      });
  for (const { files } of queues)
    for (const file of files) await check(file, async text => parseMessage(text) !== undefined);
}
