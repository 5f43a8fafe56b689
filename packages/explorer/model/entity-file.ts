// Files of entities: JSON Lines as the data tools write them, a JSON array, CSV with types. Read whole, so that a fault
// is found before anything is written.
import { Columns, headerCells, readHeader, readRecord, rowCells } from '#data-tools/formats';
import { formatLine, type Row, RowError, readPage, readRow } from '#data-tools/line';
import { formatRecord, readRecords } from './csv.js';

export interface EntityFile {
  readonly rows: readonly Row[];
  /** Where the file goes wrong, and why; undefined if it does not. */
  readonly fault: string | undefined;
}

const sentence = (line: number | undefined, error: unknown): string => {
  const message = error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
  return line === undefined ? `${message}.` : `Line ${line}: ${message}.`;
};

function fromLines(text: string): EntityFile {
  const rows: Row[] = [];
  let line = 0;
  for (const each of text.split('\n')) {
    line++;
    if (each.trim() === '') continue;
    try {
      rows.push(readRow(each));
    } catch (error) {
      return { rows, fault: sentence(line, error) };
    }
  }
  return { rows, fault: undefined };
}

function fromArray(text: string): EntityFile {
  try {
    return { rows: readPage(text), fault: undefined };
  } catch (error) {
    return { rows: [], fault: sentence(undefined, error) };
  }
}

function fromCsv(text: string): EntityFile {
  const rows: Row[] = [];
  let header: ReturnType<typeof readHeader> | undefined;
  let at = 1;
  try {
    for (const { cells, line } of readRecords(text)) {
      at = line;
      if (header === undefined) header = readHeader(cells);
      else rows.push(readRecord(cells, header));
    }
    return { rows, fault: header === undefined ? 'There is no header.' : undefined };
  } catch (error) {
    return { rows, fault: sentence(error instanceof RowError ? at : undefined, error) };
  }
}

/** The file's name and first character decide the form. */
export function readEntityFile(name: string, content: string): EntityFile {
  const text = content.replace(/^\ufeff/, '');
  if (/\.csv$/i.test(name)) return fromCsv(text);
  return text.trimStart().startsWith('[') ? fromArray(text) : fromLines(text);
}

export const FORMATS = ['jsonl', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

/** Collects rows and makes a file of them: pieces of text, so that a large one is never a single string. */
export class EntityWriter {
  readonly #format: Format;
  readonly #columns = new Columns();
  readonly #pieces: string[] = [];

  constructor(format: Format) {
    this.#format = format;
  }

  add(rows: readonly Row[]): void {
    if (this.#format === 'csv') for (const row of rows) this.#columns.add(row);
    this.#pieces.push(rows.map(row => `${formatLine(row)}\n`).join(''));
  }

  /** CSV has its columns before its first row, so the lines are read again. */
  *pieces(): Generator<string, void> {
    if (this.#format === 'jsonl') return yield* this.#pieces;
    const places = new Map(this.#columns.list().map(({ name }, place) => [name, place]));
    yield formatRecord(headerCells(this.#columns));
    for (const piece of this.#pieces)
      yield piece
        .split('\n')
        .filter(line => line !== '')
        .map(line => formatRecord(rowCells(readRow(line), this.#columns, places)))
        .join('');
  }
}
