// The mark of a row that is being moved to another bucket. A row that has it is frozen: its content goes to its new place, which then counts, and nothing may be
// written to the old one. rebucket.ts moves rows; rebucketing-writes.ts writes around the move.
import type { Rebucketing } from '../../model/keys/key-codec.js';
import { refuseChanging } from '../../model/row-fault.js';
import { PatternError } from '../../values/pattern-error.js';
import type { WireObject } from '../../values/read-wire.js';
import { MARKS, memberOf } from '../../values/row-member.js';
import { encodeProperty, type WireProperty } from '../../values/wire-property.js';

export const movingMark: WireProperty = encodeProperty(MARKS.moving, 'Boolean', true);

/** Of a row of an answer. */
export const isMovingRow = (row: WireObject): boolean => memberOf(row, MARKS.moving) !== undefined;

export const refuseBatch = (entity: string): never =>
  refuseChanging(
    entity,
    'a batch is of one partition, and its rows may stand in several; write them one by one',
  );

export const refuseRange = (entity: string, part: string): never =>
  refuseChanging(entity, `a range behind ${part} would be of one bucket; read the whole partition`);

/** Throws Conflict for a row that was read while it was being moved: where it stands now, it must be read again. */
export const refuseMoving: Rebucketing['refuseMoving'] = ({ table, partitionKey, rowKey, etag, unknown }) => {
  if (unknown?.some(({ name }) => name === MARKS.moving))
    throw new PatternError('Conflict', { table, partitionKey, rowKey, etag });
};
