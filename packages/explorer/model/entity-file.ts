// Files of entities: JSON Lines as the data tools write them, a JSON array, CSV with types. Read whole, so that a fault
// is found before anything is written.
import { Columns, type Header, headerCells, readHeader, readRecord, rowCells } from '#data-tools/formats';
import { formatLine, type Row, RowError, readPage, readRow } from '#data-tools/line';
import { formatRecord, readRecords } from './csv.js';

export interface EntityFile {
  readonly rows: readonly Row[];
  /** Where the file goes wrong, and why; undefined if it does not. */
  readonly fault: string | undefined;
}

/** The file's name and first character decide the form. @param at the line that is read; 0 if the form has none. */
function* entitiesIn(name: string, text: string, at: { line: number }): Generator<Row, void> {
  if (/\.csv$/i.test(name)) {
    let header: Header | undefined;
    for (const { cells, line } of readRecords(text)) {
      at.line = line;
      if (header === undefined) header = readHeader(cells);
      else yield readRecord(cells, header);
    }
    if (header === undefined) throw new Error('There is no header');
  } else if (text.trimStart().startsWith('[')) yield* readPage(text);
  else
    for (const line of text.split('\n')) {
      at.line++;
      if (line.trim() !== '') yield readRow(line);
    }
}

export function readEntityFile(name: string, content: string): EntityFile {
  const rows: Row[] = [];
  const at = { line: 0 };
  try {
    for (const row of entitiesIn(name, content.replace(/^\ufeff/, ''), at)) rows.push(row);
    return { rows, fault: undefined };
  } catch (error) {
    const place = error instanceof RowError && at.line > 0 ? `Line ${at.line}: ` : '';
    const message = error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
    return { rows, fault: `${place}${message}.` };
  }
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
