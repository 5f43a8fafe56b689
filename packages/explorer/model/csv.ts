// CSV as RFC 4180 has it: records of cells, quotes, and line ends of either kind. data-tools' csv-record.ts knows what
// the cells mean.

const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

const quoted = (cell: string): string => (NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** One record, with its line feed. */
export const formatRecord = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\n`;

interface CsvRecord {
  readonly cells: readonly string[];
  /** The line in which it begins, from 1. */
  readonly line: number;
}

const PLAIN = /[^",\r\n]*/y;
const QUOTED = /"((?:[^"]|"")*)"/y;

/** The records of a text. A quote that is not closed is an Error with its line. */
export function* readRecords(text: string): Generator<CsvRecord, void> {
  let at = text.startsWith('\ufeff') ? 1 : 0;
  let line = 1;
  while (at < text.length) {
    const cells: string[] = [];
    const first = line;
    for (let ends = false; !ends; ) {
      const pattern = text[at] === '"' ? QUOTED : PLAIN;
      pattern.lastIndex = at;
      const found = pattern.exec(text);
      if (found === null) throw new Error(`A quote in line ${line} is not closed.`);
      at = pattern.lastIndex;
      line += found[0].split('\n').length - 1;
      cells.push(pattern === QUOTED ? (found[1] ?? '').replaceAll('""', '"') : found[0]);
      if (text[at] === ',') at++;
      else if (at >= text.length || text[at] === '\n' || text[at] === '\r') ends = true;
      else throw new Error(`A quote in line ${line} is out of place.`);
    }
    at += text.startsWith('\r\n', at) ? 2 : 1;
    line++;
    if (cells.length > 1 || cells[0] !== '') yield { cells, line: first };
  }
}
