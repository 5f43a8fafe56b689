// `verify`: whether a dump is whole, byte by byte and row by row. SHA256SUMS and the manifest are written in one form
// only, so that their expected text can be generated again and compared; each file is summed up; and the rows are read,
// in order, each partition and table summed up again. A load checks only the files.
import { createHash } from 'node:crypto';
import { Checksum } from '../line/checksum.js';
import { formatContent } from '../line/line.js';
import { compareKeys, type Row, RowError } from '../line/row.js';
import { isTableName } from '../source/table-names.js';
import { systemCodeOf, ToolError } from '../source/tool-error.js';
import { type DumpFiles, FolderFiles, sumOf, textOf } from './dump-files.js';
import {
  type DumpedFile,
  type DumpedTable,
  filePath,
  formatManifest,
  formatSums,
  MANIFEST_PATH,
  type Manifest,
  partitionsPath,
  SUMS_PATH,
  type Sum,
  WORK_PATH,
} from './manifest.js';
import { formatPartition, PartitionSums } from './part.js';
import { blobsIn, contentPath, indexPath, isContentName, messagesPath } from './read-contents.js';
import { Dump } from './read-dump.js';
import { FORMATS } from './table-format.js';

export interface Finding {
  readonly kind: 'unfinished' | 'damaged';
  /** Relative to the dump's directory. */
  readonly path: string;
  readonly message: string;
}

interface Verified {
  /** Undefined if it cannot be read. */
  readonly dump: Dump | undefined;
  readonly findings: readonly Finding[];
}

const damaged = (path: string, message: string): Finding => ({ kind: 'damaged', path, message });

/** Whether files have the names that a dump gives them: a path leads nowhere else. Fails with a TypeError if it is no manifest. */
const hasOwnPaths = ({ format, tables, queues = [], containers = [] }: Manifest): boolean =>
  FORMATS.includes(format) &&
  tables.every(
    ({ name, files }) =>
      isTableName(name) &&
      files.every(({ path }, place) =>
        [format, `${format}.gz`].some(extension => path === filePath(name, place, extension)),
      ),
  ) &&
  queues.every(
    ({ name, messages, files }) =>
      isContentName(name) &&
      files.length === (messages === null ? 0 : 1) &&
      files.every(({ path }) => path === messagesPath(name)),
  ) &&
  containers.every(
    ({ name, files }) => isContentName(name) && files.length === 1 && files[0]?.path === indexPath(name),
  );

async function readManifest(files: DumpFiles): Promise<Manifest | Finding> {
  if (!(await files.has(MANIFEST_PATH))) return damaged(MANIFEST_PATH, 'it is missing');
  try {
    const text = await textOf(files, MANIFEST_PATH);
    const manifest = JSON.parse(text) as Manifest;
    if (!hasOwnPaths(manifest)) return damaged(MANIFEST_PATH, 'it does not name tables and their files');
    return formatManifest(manifest) === text
      ? manifest
      : damaged(MANIFEST_PATH, 'it is not as a dump writes it');
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError)
      return damaged(MANIFEST_PATH, 'it is not a manifest');
    throw error;
  }
}

/** Of what precedes a path in a line of SHA256SUMS. */
const SUM_LENGTH = 66;

async function strayFiles(files: DumpFiles, known: ReadonlySet<string>): Promise<readonly Finding[]> {
  return (await files.paths())
    .filter(path => !known.has(path) && !path.startsWith(`${WORK_PATH}/`))
    .map(path => damaged(path, `it is not in ${SUMS_PATH}`));
}

async function fileFindings(
  dumpFiles: DumpFiles,
  manifest: Manifest,
  signal: AbortSignal | undefined,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const sums: Sum[] = [];
  /** Whether it is as it was written. */
  const add = async (path: string, told?: Pick<DumpedFile, 'bytes' | 'sha256'>): Promise<boolean> => {
    const found = (await dumpFiles.has(path)) ? await sumOf(dumpFiles, path, signal) : undefined;
    if (found !== undefined) sums.push({ path, sha256: found.sha256 });
    const isWhole = told === undefined || found?.sha256 === told.sha256;
    if (found === undefined) findings.push(damaged(path, 'it is missing'));
    else if (told !== undefined && found.bytes !== told.bytes)
      findings.push(damaged(path, `it has ${found.bytes} bytes, not ${told.bytes}`));
    else if (!isWhole) findings.push(damaged(path, 'its SHA-256 is another'));
    return found !== undefined && isWhole;
  };
  await add(MANIFEST_PATH);
  for (const { name, files } of manifest.tables) {
    await add(partitionsPath(name));
    for (const file of files) await add(file.path, file);
  }
  const contents = new Map<string, number>();
  for (const { files } of manifest.containers ?? [])
    for (const file of files) {
      if (!(await add(file.path, file))) continue;
      let blobs = 0;
      for await (const { sha256, bytes } of blobsIn(dumpFiles, file)) {
        contents.set(sha256, bytes);
        blobs++;
      }
      if (blobs !== file.rows) findings.push(damaged(file.path, `it has ${blobs} blobs, not ${file.rows}`));
    }
  for (const [sha256, bytes] of contents) await add(contentPath(sha256), { bytes, sha256 });
  for (const { files } of manifest.queues ?? []) for (const file of files) await add(file.path, file);
  const told = await textOf(dumpFiles, SUMS_PATH, 'latin1');
  if (findings.length === 0 && told !== formatSums(sums)) {
    const lines = new Set(told.split('\n'));
    const changed = sums
      .filter(({ path, sha256 }) => !lines.has(`${sha256}  ${path}`))
      .map(({ path }) => path);
    const what =
      changed.length === 0 ? 'it has more than the files' : `it does not fit ${changed.join(', ')}`;
    findings.push(damaged(SUMS_PATH, what));
  }
  const known = told.split('\n').map(line => line.slice(SUM_LENGTH));
  return [...findings, ...(await strayFiles(dumpFiles, new Set([SUMS_PATH, ...known])))];
}

/** Whether the files of a dump are those that were written; does not read the rows in them. */
export async function verifyFiles(place: string | DumpFiles, signal?: AbortSignal): Promise<Verified> {
  const files = typeof place === 'string' ? new FolderFiles(place) : place;
  if (!(await files.has(SUMS_PATH)))
    return {
      dump: undefined,
      findings: [
        {
          kind: 'unfinished',
          path: SUMS_PATH,
          message: 'it is missing: this is not a dump, or an unfinished one',
        },
      ],
    };
  const manifest = await readManifest(files);
  if ('kind' in manifest) return { dump: undefined, findings: [manifest] };
  return { dump: new Dump(files, manifest), findings: await fileFindings(files, manifest, signal) };
}

/** A dump whose rows are needed. @throws ToolError with this exit */
export async function wholeDump(
  place: string | DumpFiles,
  signal: AbortSignal | undefined,
  exit: 'damaged' | 'different' = 'damaged',
): Promise<Dump> {
  const { dump, findings } = await verifyFiles(place, signal);
  if (dump !== undefined && findings.length === 0) return dump;
  const what = findings[0]?.kind === 'unfinished' ? 'unfinished' : 'damaged';
  const told = findings.slice(0, 5).map(({ path, message }) => `${path}: ${message}`);
  const name = typeof place === 'string' ? place : place.name;
  throw new ToolError(exit, `${name} is ${what}: ${told.join('; ')}.`);
}

/** Compares the rows of a table with its sums and its manifest: each file has at most one fault of a kind. */
export async function rowFindings(
  dump: Dump,
  table: DumpedTable,
  onRows: (count: number) => void,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const partitions = new PartitionSums();
  const total = new Checksum();
  const sums = createHash('sha256');
  let [rows, partitionCount] = [0, 0];
  let before: Row | undefined;
  const end = (sum: ReturnType<PartitionSums['end']>): void => {
    if (sum === undefined) return;
    partitionCount++;
    total.add(sum.checksum);
    sums.update(formatPartition(sum));
  };
  for (const file of table.files) {
    const messages = new Set<string>();
    let fileRows = 0;
    try {
      for await (const page of dump.filePages(file)) {
        for (const row of page) {
          if (before !== undefined && compareKeys(before, row) >= 0)
            messages.add('its rows are not in the order of keys, each once');
          before = row;
          end(partitions.add(row.partitionKey, formatContent(row)));
        }
        fileRows += page.length;
        onRows(page.length);
      }
    } catch (error) {
      if (error instanceof ToolError) throw error;
      if (!(error instanceof RowError) && systemCodeOf(error)?.startsWith('Z') !== true) throw error;
      messages.add((error as Error).message);
    }
    rows += fileRows;
    if (fileRows !== file.rows) messages.add(`it has ${fileRows} rows, not ${file.rows}`);
    for (const message of messages) findings.push(damaged(file.path, message));
  }
  end(partitions.end());
  const told = await sumOf(dump.files, partitionsPath(table.name));
  if (told.sha256 !== sums.digest('hex'))
    findings.push(damaged(partitionsPath(table.name), 'it does not fit the rows'));
  const isSame =
    rows === table.rows && partitionCount === table.partitions && String(total) === table.checksum;
  if (!isSame) findings.push(damaged(MANIFEST_PATH, `table ${table.name} has other rows than it says`));
  return findings;
}
