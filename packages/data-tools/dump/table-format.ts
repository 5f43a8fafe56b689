// How the rows of a table are written into its files: as lines, or converted from lines into another format once all
// are there, because that needs to know every property first.
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { Columns } from '../formats/columns.js';
import { readRow } from '../line/read-rows.js';
import type { Row } from '../line/row.js';
import { RowShape } from '../line/row-shape.js';
import { textLines } from '../line/text-lines.js';
import { ToolError } from '../source/tool-error.js';

export const FORMATS = ['jsonl', 'csv', 'parquet'] as const;
export type FormatName = (typeof FORMATS)[number];

export interface TableFormat {
  readonly name: FormatName;
  readonly gzip: boolean;
}

/** The extension of a file name. */
export const extensionOf = ({ name, gzip }: TableFormat): string => (gzip ? `${name}.gz` : name);

/** Whether files are the lines as they were read. */
export const isPlain = ({ name, gzip }: TableFormat): boolean => name === 'jsonl' && !gzip;

interface FormatOptions {
  readonly format?: FormatName | undefined;
  readonly compress?: 'gzip' | undefined;
  readonly out: string;
}

const FILE_NAME = /\.(jsonl|json|csv|parquet)(\.gz)?$/;

/** Whether the output is one file: its name has a format's extension. */
export const isFileName = (out: string): boolean => FILE_NAME.test(out);

/** From the options or, failing that, from the file's name. @throws ToolError usage */
export function parseFormat({ format, compress, out }: FormatOptions): TableFormat {
  const [, extension, gz] = FILE_NAME.exec(out) ?? [];
  const name = format ?? FORMATS.find(each => each === extension) ?? 'jsonl';
  const gzip = compress === 'gzip' || gz !== undefined;
  if (gzip && name === 'parquet')
    throw new ToolError('usage', 'Parquet compresses by itself: leave out --compress.');
  return { name, gzip };
}

/** The rows of files of lines, one after the other. */
async function* rowsOfLines(paths: readonly string[]): AsyncGenerator<Row, void> {
  const shape = new RowShape();
  for (const path of paths)
    for await (const lines of textLines(createReadStream(path)))
      for (const { text } of lines) yield readRow(text, shape);
}

async function* bytesOfLines(paths: readonly string[]): AsyncGenerator<Buffer, void> {
  for (const path of paths) for await (const piece of createReadStream(path)) yield piece as Buffer;
}

/** Turns lines of a table into the format. */
type Writing = (paths: readonly string[]) => AsyncIterable<Buffer | string>;

/** How files of a table are written. CSV and Parquet first read all of its lines, for their columns. */
export async function writingOf(format: TableFormat, all: readonly string[]): Promise<Writing> {
  const write = await plainWriting(format, all);
  return format.gzip ? paths => gzipped(write(paths)) : write;
}

async function plainWriting({ name }: TableFormat, all: readonly string[]): Promise<Writing> {
  if (name === 'jsonl') return bytesOfLines;
  const columns = new Columns();
  for await (const row of rowsOfLines(all)) columns.add(row);
  // Their libraries are loaded only if needed.
  if (name === 'csv') {
    const { writeCsv } = await import('../formats/csv.js');
    return paths => writeCsv(rowsOfLines(paths), columns);
  }
  const { writeParquet } = await import('../formats/parquet.js');
  return paths => writeParquet(rowsOfLines(paths), columns);
}

export async function* gzipped(pieces: AsyncIterable<Buffer | string>): AsyncGenerator<Buffer, void> {
  const gzip = createGzip();
  const source = Readable.from(pieces);
  source.on('error', error => gzip.destroy(error));
  for await (const piece of source.pipe(gzip)) yield piece as Buffer;
}
