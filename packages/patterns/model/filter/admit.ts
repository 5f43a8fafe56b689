// Query admission: a scan of many partitions needs a reason, and a program can refuse whole classes of queries.
import { PatternError } from '../../values/pattern-error.js';
import type { QueryClass } from './classify.js';
import { type Plan, planOf, type RowQuery } from './plan.js';

/** Which queries a program sends: reported ones and refused ones. */
export interface Admission {
  /** Called for each query that scans a partition, a range of it or a table, before it is sent. */
  readonly warn?: ((plan: Plan, reason: string | undefined) => void) | undefined;
  /** Classes that throw ScanRefused, also where they are allowed by name. */
  readonly refuse?: readonly QueryClass[] | undefined;
}

function refuseScan({ filter = '' }: RowQuery, reason: string): never {
  throw new PatternError('ScanRefused', { filter, reason });
}

/** Throws ScanRefused. */
export function admit(query: RowQuery, { warn, refuse }: Admission, reason: string | undefined): void {
  const { class: queryClass } = query.classification;
  if (refuse?.includes(queryClass)) refuseScan(query, `queries of the class ${queryClass} are refused here`);
  if (queryClass === 'table-scan' && reason === undefined)
    refuseScan(query, 'it reads many partitions: allowScan(reason)');
  if (queryClass === 'table-scan' || queryClass === 'partition-scan') warn?.(planOf(query), reason);
}

/** The reason, if it is one. Throws ScanRefused. */
export const checkReason = (query: RowQuery, reason: string): string =>
  reason.trim() === '' ? refuseScan(query, 'the reason for it is empty') : reason;
