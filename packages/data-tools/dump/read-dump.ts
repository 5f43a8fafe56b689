// A finished dump: its manifest, and its rows in order, as a source like any other. verify.ts checks whether it is whole.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { isAzuriteFolder } from '../azurite/loki-file.js';
import { readRow } from '../line/read-rows.js';
import { type Row, RowError } from '../line/row.js';
import { RowShape } from '../line/row-shape.js';
import { textLines } from '../line/text-lines.js';
import { isAfter, isBefore, type KeyRange, WHOLE } from '../source/key-range.js';
import type { RowSource } from '../source/row-source.js';
import { ToolError } from '../source/tool-error.js';
import type { DumpFiles } from './dump-files.js';
import type { DumpedFile, DumpedTable, Manifest } from './manifest.js';

export function gunzipped(pieces: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const gunzip = createGunzip();
  const stream = Readable.from(pieces, { objectMode: false });
  stream.on('error', error => gunzip.destroy(error));
  return stream.pipe(gunzip);
}

/** Rows of lines, with the position of a bad one. Pages of some lines each. */
export async function* pagesOfLines(
  bytes: AsyncIterable<Buffer>,
  name: string,
): AsyncGenerator<readonly Row[], void> {
  const shape = new RowShape();
  for await (const lines of textLines(bytes)) {
    const page: Row[] = [];
    for (const { text, number } of lines) {
      try {
        if (text !== '') page.push(readRow(text, shape));
      } catch (error) {
        if (error instanceof RowError) throw new RowError(`${name}, line ${number}: ${error.message}`);
        throw error;
      }
    }
    if (page.length > 0) yield page;
  }
}

/** Checks a directory that is given as a dump. @throws ToolError usage, if it is for other commands. */
export function checkIsDump(directory: string, tool: 'load' | 'verify' | 'diff' | 'stats'): void {
  if (!existsSync(directory)) throw new ToolError('notThere', `${directory} is not there.`);
  if (!statSync(directory).isDirectory()) throw new ToolError('usage', `${directory} is not a directory.`);
  if (isAzuriteFolder(directory))
    throw new ToolError(
      'usage',
      `${directory} is a folder of Azurite's, not a dump: \`shelfmark import-azurite ${directory}\` is for it.`,
    );
  const isBackup = existsSync(join(directory, 'data.mdb'));
  if (!isBackup) return;
  const other = tool === 'verify' ? 'shelfmark check' : 'shelfmark restore';
  throw new ToolError(
    'usage',
    `${directory} is a data directory or a backup of one, not a dump: \`${other} ${directory}\` is for it.`,
  );
}

export class Dump implements RowSource {
  readonly files: DumpFiles;
  readonly manifest: Manifest;

  constructor(files: DumpFiles, manifest: Manifest) {
    this.files = files;
    this.manifest = manifest;
  }

  get name(): string {
    return this.files.name;
  }

  tables(): Promise<readonly string[]> {
    return Promise.resolve(this.manifest.tables.map(({ name }) => name));
  }

  /** Ignores the case of its name. */
  table(name: string): DumpedTable {
    const table = this.manifest.tables.find(each => each.name.toLowerCase() === name.toLowerCase());
    if (table === undefined) throw new ToolError('notThere', `Table ${name} is not in ${this.name}.`);
    return table;
  }

  async *pages(name: string, range: KeyRange = WHOLE): AsyncGenerator<readonly Row[], void> {
    for (const file of this.table(name).files) {
      for await (const page of this.filePages(file)) {
        const rows =
          range === WHOLE ? page : page.filter(row => !isBefore(row, range) && !isAfter(row, range));
        if (rows.length > 0) yield rows;
        const last = page.at(-1);
        if (last !== undefined && isAfter(last, range)) return;
      }
    }
  }

  /** The rows of one file. @throws ToolError usage, for a format that cannot be read. */
  async *filePages({ path }: DumpedFile): AsyncGenerator<readonly Row[], void> {
    const { format } = this.manifest;
    if (format === 'parquet')
      throw new ToolError(
        'usage',
        'Parquet goes out only: dump as jsonl or csv for what is to be read again.',
      );
    const pieces = this.files.pieces(path);
    const bytes = path.endsWith('.gz') ? gunzipped(pieces) : pieces;
    if (format === 'jsonl') yield* pagesOfLines(bytes, path);
    else yield* (await import('../formats/csv.js')).csvPages(bytes, path);
  }
}
