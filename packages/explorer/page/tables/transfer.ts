// Long work of a table: export, import, delete by filter. Each is done page by page, and can be stopped.
import type { Row } from '#data-tools/line';
import { EntityWriter, type Format } from '../../model/entity-file.js';
import { saveAs } from '../client/save.js';
import { KEYS, queryPages, type Selected } from '../client/table-client.js';
import { Changes } from '../client/transactions.js';
import type { Running } from '../state/work.js';

/** Reads what the filter matches, all of it or only `select`. */
async function read(
  selected: Selected,
  part: { readonly select?: string[] },
  { signal, change }: Running,
  onRows: (rows: readonly Row[]) => void,
): Promise<void> {
  let done = 0;
  for await (const rows of queryPages(selected, part, signal)) {
    onRows(rows);
    done += rows.length;
    change({ done });
  }
}

export const countMatching = (selected: Selected, running: Running): Promise<void> =>
  read(selected, { select: KEYS }, running, () => undefined);

export async function deleteMatching(selected: Selected, running: Running): Promise<void> {
  const changes = new Changes(selected.table, 'delete', running);
  for await (const rows of queryPages(selected, { select: KEYS }, running.signal)) await changes.apply(rows);
}

/** Has the browser save a file of what the filter matches. */
export async function exportMatching(selected: Selected, format: Format, running: Running): Promise<void> {
  const writer = new EntityWriter(format);
  await read(selected, {}, running, rows => writer.add(rows));
  const type = format === 'csv' ? 'text/csv' : 'application/x-ndjson';
  const url = URL.createObjectURL(new Blob([...writer.pieces()], { type }));
  saveAs(url, `${selected.table.name}.${format}`);
  // The browser has the file by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
