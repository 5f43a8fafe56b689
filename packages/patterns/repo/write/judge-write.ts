// The outcome of a write whose answer was lost or is in doubt, judged by its row. Pure; settled-writes.ts reads the row.
//
// A conditional write applies to one version of the row and to no other. So if the row still has that ETag, or if its operation ids
// reach back to the newest operation id of that version, the write is among them, or it was not applied and will not be.

import type { RowAnswer } from '../../transport/row-source.js';
import { etagOf, type RowWrite } from '../../transport/row-write.js';
import type { OperationId, OperationIds } from './operation-id.js';

/** A write, and what a read of its row needs to know. */
export interface IdentifiedWrite {
  readonly write: RowWrite;
  /** Undefined for a delete, and where operation ids are off. */
  readonly operationId?: OperationId | undefined;
  /** The newest operation id of the row that the write was made from. */
  readonly previousId?: OperationId | undefined;
  /** A missing row is no failure: the state that the write asks for is there. */
  readonly ifExists?: boolean;
  /** The row is in one batch with another, which shows the outcome of both. */
  readonly isIndexRow?: boolean;
}

export type Verdict =
  /** `etag` is undefined for a delete, and if the row was written again since. */
  { readonly kind: 'done'; readonly etag: string | undefined } | { readonly kind: 'undone' | 'unknown' };

const UNDONE: Verdict = { kind: 'undone' };
const UNKNOWN: Verdict = { kind: 'unknown' };

const etagOfAnswer = ({ etag, row }: RowAnswer): string | undefined =>
  etag ?? (typeof row['odata.etag'] === 'string' ? row['odata.etag'] : undefined);

function judgeDelete(etag: string, found: RowAnswer | undefined): Verdict {
  // Whether this delete or another one: a row that is gone has no operation id.
  if (found === undefined) return { kind: 'done', etag: undefined };
  return etag === '*' || etagOfAnswer(found) === etag ? UNDONE : UNKNOWN;
}

/** `found` is the row as it is now. */
export function judgeWrite(
  { write, operationId, previousId }: IdentifiedWrite,
  found: RowAnswer | undefined,
  operationIds: OperationIds | undefined,
): Verdict {
  if (write.kind === 'delete') return judgeDelete(write.etag, found);
  if (found === undefined) return write.kind === 'create' ? UNDONE : UNKNOWN;
  const there = operationIds?.ofRow(found.row) ?? [];
  const at = operationId === undefined ? -1 : there.indexOf(operationId);
  if (at >= 0) return { kind: 'done', etag: at === 0 ? etagOfAnswer(found) : undefined };
  // Another writer's row: it could not have been made on top of this one.
  if (write.kind === 'create') return operationId === undefined ? UNKNOWN : UNDONE;
  const etag = etagOf(write);
  const isUntouched = etag !== undefined && etagOfAnswer(found) === etag;
  return isUntouched || (previousId !== undefined && there.includes(previousId)) ? UNDONE : UNKNOWN;
}
