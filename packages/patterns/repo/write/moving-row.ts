// The mark of a row that is being moved to another bucket. A row that has it is frozen: its content goes to its new place, which then counts, and nothing may be
// written to the old one. rebucket.ts moves rows; rebucketing-writes.ts writes around the move.
import type { AnyEntity } from '../../model/definition.js';
import { PatternError, type RowAddress } from '../../values/pattern-error.js';
import type { WireObject } from '../../values/read-wire.js';
import { MARKS, memberOf } from '../../values/row-member.js';
import { encodeProperty, type WireProperty } from '../../values/wire-property.js';

export const movingMark: WireProperty = encodeProperty(MARKS.moving, 'Boolean', true);

/** Of a row of an answer. */
export const isMovingRow = (row: WireObject): boolean => memberOf(row, MARKS.moving) !== undefined;

/** Throws Conflict for a row that was read while it was being moved: where it stands now, it must be read again. Of other entities the property says nothing. */
export function refuseMoving(
  { plan }: AnyEntity,
  row: RowAddress & { readonly etag: string; readonly unknown?: readonly WireProperty[] },
): void {
  if (plan.rebucketing === undefined || !row.unknown?.some(({ name }) => name === MARKS.moving)) return;
  const { table, partitionKey, rowKey, etag } = row;
  throw new PatternError('Conflict', { table, partitionKey, rowKey, etag });
}
