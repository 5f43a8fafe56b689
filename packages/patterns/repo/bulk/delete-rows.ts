// Deletes the rows of a query page by page, in batches over many partitions at a time, and gives a token after each page by which another process can
// continue.
import { followedEntityOf } from '../../model/decode-entity.js';
import type { AnyEntity } from '../../model/definition.js';
import { asRead, type StoredOf } from '../../model/stored.js';
import { PatternError, type RowAddress, refuseValue } from '../../values/pattern-error.js';
import type { PageOptions, Results } from '../read/results.js';
import { OPERATIONS } from '../write/operations.js';
import { planDelete, subjectOf } from '../write/plan-write.js';
import type { Service } from '../write/service.js';
import { BatchWriter } from './batch-writer.js';
import type { RowChange } from './change.js';
import type { WriteReport } from './write-load.js';

/** How bulk deletes are sent, and under which condition: from the `next` of the last progress that was seen, in pages of 1,000 rows by default. */
export interface DeleteRowsOptions extends PageOptions {
  /** Only rows that are as the query read them; those that were changed since stay, and are counted as such. */
  readonly conditional: boolean;
  /** Batches that are under way at a time; 8 by default. */
  readonly concurrency?: number | undefined;
}

/** The state after a page. Counts cover all pages since the start, or since the given token. */
export interface DeleteProgress {
  readonly deleted: number;
  /** Rows that another client had deleted: only where it is conditional, else they count as deleted. */
  readonly gone: number;
  /** Rows that were changed since the query read them, and stay: only where it is conditional. */
  readonly changed: number;
  /** The token to continue from; undefined at the end. */
  readonly next: string | undefined;
}

/** Rows are deleted by their addresses, whatever was read of them. */
type DeletableRow = RowAddress & { readonly etag: string };

/** A query of rows, of what is selected of them, or of bags. */
export type DeletableRows = Pick<Results<DeletableRow>, 'pages'>;

/** A row and its index rows, deleted together: under the ETag that it was read with, or of the current version. */
const indexedChange = (entity: AnyEntity, row: DeletableRow, reading: 'as read' | 'as it is'): RowChange => ({
  plan: service => {
    const at = subjectOf(service, entity, row.table);
    const stored = asRead(row as StoredOf<AnyEntity>);
    return OPERATIONS.delete(at, reading === 'as read' ? stored : { key: stored.value as never, etag: '*' });
  },
});

/** Index rows alone must not be deleted: queries would no longer find their entity's rows by them. */
function refuseIndexRow(row: DeletableRow): void {
  const { entity } = row as Partial<StoredOf<AnyEntity>>;
  if (entity?.includes('.'))
    refuseValue('rows', 'rows of an entity', `they are of the index ${entity}, which go with their entity's`);
}

/** If the row was changed since and must still go, its index rows may differ. */
function changeOf(row: DeletableRow, conditional: boolean): RowChange {
  const entity = followedEntityOf(row);
  if (entity !== undefined) {
    const isWhole = (row as Partial<StoredOf<AnyEntity>>).whole === true;
    return indexedChange(entity, row, conditional || isWhole ? 'as read' : 'as it is');
  }
  refuseIndexRow(row);
  return {
    plan: () => (conditional ? planDelete(row, row.etag) : { ...planDelete(row, '*'), ifExists: true }),
  };
}

const isCode = (report: WriteReport, code: 'Conflict' | 'NotFound'): boolean =>
  report.kind === 'failed' && PatternError.is(report.error, code);

/** The outcomes of a page's rows. Rows with indexes that were changed since and must still go are read again to find their index rows. */
async function deleteAll(
  service: Service,
  rows: readonly DeletableRow[],
  { conditional, signal, concurrency }: DeleteRowsOptions,
): Promise<readonly WriteReport[]> {
  const write = async (changes: readonly RowChange[]): Promise<WriteReport[]> => {
    const writer = new BatchWriter(service, changes, { concurrency, signal, ordered: false });
    const reports: WriteReport[] = [];
    for await (const report of writer.reports()) reports.push(report);
    return reports;
  };
  const reports = await write(rows.map(row => changeOf(row, conditional)));
  if (conditional) return reports;
  const again = reports.filter(report => isCode(report, 'Conflict')).map(({ index }) => index);
  const changes = again.flatMap(index => {
    const row = rows[index];
    const entity = row && followedEntityOf(row);
    return row && entity ? [indexedChange(entity, row, 'as it is')] : [];
  });
  if (changes.length === 0) return reports;
  return [...reports.filter(report => !isCode(report, 'Conflict')), ...(await write(changes))];
}

/** Throws any other refusal of a delete; the token before the page then repeats the whole page. */
export async function* deletePages(
  service: Service,
  rows: DeletableRows,
  { conditional, resume, size, signal, concurrency }: DeleteRowsOptions,
): AsyncGenerator<DeleteProgress, void, undefined> {
  let [deleted, gone, changed] = [0, 0, 0];
  for await (const { items, next } of rows.pages({ resume, size, signal })) {
    for (const report of await deleteAll(service, items, { conditional, signal, concurrency })) {
      const isGone = isCode(report, 'NotFound');
      if (report.kind === 'done' || (isGone && !conditional)) deleted++;
      else if (isGone) gone++;
      else if (isCode(report, 'Conflict')) changed++;
      else throw report.error;
    }
    yield { deleted, gone, changed, next };
  }
}
