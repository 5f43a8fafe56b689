// The input of a load: a dump in a directory, or one table in a file or on standard input, as lines, a JSON array of
// entities, or CSV, optionally gzipped. All of it is checked before the first row is yielded; standard input is saved
// to a file for that.
import { isUtf8 } from 'node:buffer';
import { createReadStream, createWriteStream, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ContentInput } from '../contents/move-container.js';
import { type DumpFiles, FolderFiles } from '../dump/dump-files.js';
import type { Manifest } from '../dump/manifest.js';
import { contentsOf } from '../dump/read-contents.js';
import { checkIsDump, gunzipped, pagesOfLines } from '../dump/read-dump.js';
import { wholeDump } from '../dump/verify.js';
import { readPage } from '../line/read-rows.js';
import { type Row, RowError } from '../line/row.js';
import type { Policy } from '../source/policies.js';
import { inPages } from '../source/row-source.js';
import { systemCodeOf, ToolError } from '../source/tool-error.js';

export interface InputTable {
  readonly name: string;
  readonly rows: number;
  readonly policies: readonly Policy[] | null;
  readonly pages: () => AsyncIterable<readonly Row[]>;
}

export interface LoadInput {
  /** Identifies the input, for a journal: different for other content. */
  readonly identity: string;
  /** For a file: the one table has no name of its own, and may repeat keys. */
  readonly isFile: boolean;
  readonly tables: readonly InputTable[];
  /** Queues and containers, if it can have any. */
  readonly contents?: ContentInput | undefined;
  readonly close?: () => void;
}

/** @throws ToolError damaged, notThere or usage */
export async function openInput(
  path: string,
  stdin: AsyncIterable<Buffer>,
  signal: AbortSignal | undefined,
): Promise<LoadInput> {
  if (path === '-') return openStream(stdin, signal);
  if (!existsSync(path)) throw new ToolError('notThere', `${path} is not there.`);
  if (/\.parquet$/i.test(path))
    throw new ToolError('usage', `${path} is Parquet, which goes out only: load takes lines, CSV and JSON.`);
  if (!statSync(path).isDirectory()) return openFile({ path, name: path, signal });
  checkIsDump(path, 'load');
  return openDump(new FolderFiles(path), signal);
}

/** A dump in any place. @throws ToolError damaged */
export async function openDump(files: DumpFiles, signal: AbortSignal | undefined): Promise<LoadInput> {
  const dump = await wholeDump(files, signal);
  return {
    identity: identityOf(dump.manifest),
    isFile: false,
    contents: contentsOf(dump),
    tables: dump.manifest.tables.map(({ name, rows, policies }) => ({
      name,
      rows,
      policies,
      pages: () => dump.pages(name),
    })),
  };
}

/** For tables the rows count, for queues and containers their files. */
const identityOf = ({ tables, queues = [], containers = [] }: Manifest): string =>
  [
    ...tables.map(({ name, checksum }) => `${name}:${checksum}`),
    ...[...queues, ...containers].map(({ name, files }) => `${name}/${files[0]?.sha256 ?? ''}`),
  ].join();

async function openStream(stdin: AsyncIterable<Buffer>, signal: AbortSignal | undefined): Promise<LoadInput> {
  const directory = mkdtempSync(join(tmpdir(), 'shelfmark-load-'));
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  try {
    const path = join(directory, 'input');
    await pipeline(stdin, createWriteStream(path, { mode: 0o600 }), { ...(signal && { signal }) });
    return { ...(await openFile({ path, name: 'standard input', signal })), close: remove };
  } catch (error) {
    remove();
    throw error;
  }
}

type Pages = () => AsyncIterable<readonly Row[]>;

interface InputFile {
  readonly path: string;
  /** Its name in messages. */
  readonly name: string;
  readonly signal: AbortSignal | undefined;
}

async function openFile({ path, name, signal }: InputFile): Promise<LoadInput> {
  const pages = await pagesIn(path, name);
  let rows = 0;
  try {
    for await (const page of pages()) {
      signal?.throwIfAborted();
      rows += page.length;
    }
  } catch (error) {
    if (error instanceof RowError) throw new ToolError('damaged', `${error.message}.`, { cause: error });
    if (systemCodeOf(error)?.startsWith('Z_'))
      throw new ToolError('damaged', `${name} is cut off or damaged: ${(error as Error).message}.`, {
        cause: error,
      });
    throw error;
  }
  const { size, mtimeMs } = statSync(path);
  return {
    identity: `${name}:${size}:${mtimeMs}`,
    isFile: true,
    tables: [{ name: '', rows, policies: null, pages }],
  };
}

/** The first character that is not a space; empty if there is none in the first piece. */
async function startOf(bytes: AsyncIterable<Buffer>): Promise<string> {
  for await (const piece of withoutMark(bytes)) return piece.toString('latin1').trimStart().slice(0, 1);
  return '';
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** Without the byte order mark that editors add. */
async function* withoutMark(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let isFirst = true;
  for await (const piece of pieces) {
    const { length } = BYTE_ORDER_MARK;
    yield isFirst && piece.subarray(0, length).equals(BYTE_ORDER_MARK) ? piece.subarray(length) : piece;
    isFirst = false;
  }
}

/** By the beginning of the file: its name may not reveal it. */
async function pagesIn(path: string, name: string): Promise<Pages> {
  const file = await open(path);
  const magic = await file.read(Buffer.alloc(2), 0, 2, 0);
  await file.close();
  const isGzip = magic.bytesRead === 2 && magic.buffer.readUInt16BE(0) === 0x1f8b;
  const bytes = (): AsyncIterable<Buffer> =>
    isGzip ? gunzipped(createReadStream(path)) : createReadStream(path);
  let first: string;
  try {
    first = await startOf(bytes());
  } catch (error) {
    throw new ToolError(
      'damaged',
      `${name} cannot be unpacked: ${error instanceof Error ? error.message : error}.`,
    );
  }
  if (first === '[') return () => arrayPages(withoutMark(bytes()), name);
  if (first === '{' || first === '') return () => pagesOfLines(withoutMark(bytes()), name);
  const { csvPages } = await import('../formats/csv.js');
  return () => csvPages(bytes(), name);
}

/** Read whole: other programs' exports are small, and lines are the form for a large table. */
const ARRAY_BYTES_MAX = 256 * 1_048_576;
const PAGE_ROWS = 500;

/** The entities of a JSON array. @throws RowError, or ToolError usage for one that is too large */
async function* arrayPages(bytes: AsyncIterable<Buffer>, name: string): AsyncGenerator<readonly Row[], void> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of bytes) {
    pieces.push(piece);
    size += piece.length;
    if (size > ARRAY_BYTES_MAX)
      throw new ToolError(
        'usage',
        `${name} is a JSON array of more than 256 MiB: write a line per entity, as \`jq -c '.[]'\` does.`,
      );
  }
  try {
    const text = Buffer.concat(pieces);
    if (!isUtf8(text)) throw new RowError('it is not UTF-8');
    yield* inPages(readPage(text.toString('utf8')), PAGE_ROWS);
  } catch (error) {
    throw error instanceof RowError ? new RowError(`${name}: ${error.message}`) : error;
  }
}
