// What a query does with a row that its entity cannot read; it need not end the query. model/row-fault.ts makes the errors.

import { type Bag, decodeBag } from '../../model/bag.js';
import type { AnyEntity } from '../../model/definition.js';
import type { AnyPatternError } from '../../values/pattern-error.js';
import type { WireObject } from '../../values/read-wire.js';

/** A row as it is, and why its entity cannot read it. */
export type UnreadableRow = Bag & { readonly fault: AnyPatternError };

/**
 * What a query does with a row whose keys, types or upcasts its entity cannot read, or that a newer program wrote in a form that this one cannot read. `throw` ends the query
 * with table and keys in the error; `skip` leaves the row out and continues; a function receives the row, and the query continues without it unless it throws.
 */
export type UnreadablePolicy = 'throw' | 'skip' | ((row: UnreadableRow) => void);

/** Does with the row what the policy says. */
export function handleUnreadable(
  policy: UnreadablePolicy,
  { tag }: AnyEntity,
  row: WireObject,
  table: string,
  fault: AnyPatternError,
): void {
  if (policy === 'throw') throw fault;
  if (policy !== 'skip') policy({ ...decodeBag(row, { table, tag }), fault });
}
