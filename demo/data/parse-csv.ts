// Parses comma-separated values (RFC 4180): quoted fields, doubled quotes. The caller interprets the columns.

const FIELD = /"((?:[^"]|"")*)"(,|\r?\n|$)|([^",\r\n]*)(,|\r?\n|$)/y;

/**
 * The records of a text, the header among them; an empty line at the end is ignored.
 *
 * @throws Error at a quote inside an unquoted field or one that is never closed.
 */
export function parseCsv(text: string): string[][] {
  const field = new RegExp(FIELD);
  const records: string[][] = [];
  let record: string[] = [];
  while (field.lastIndex < text.length || record.length > 0) {
    const from = field.lastIndex;
    const match = field.exec(text);
    if (match === null) throw new Error(`Not a field at character ${from} of the text.`);
    const [, quoted, quotedEnd, bare, bareEnd] = match;
    record.push(quoted === undefined ? (bare ?? '') : quoted.replaceAll('""', '"'));
    if ((quotedEnd ?? bareEnd) === ',') continue;
    records.push(record);
    record = [];
  }
  return records;
}
