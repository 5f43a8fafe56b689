// Definitions of series: properties of an entity with many values, in slots that are written one by one.

import { refuseDefinition } from '../../values/pattern-error.js';
import { inPieces, type Property, type ValueOf } from '../../values/property.js';
import { CUSTOM_PROPERTIES_MAX } from '../../values/wire-property.js';
import {
  checkSlots,
  type Period,
  type RingSlot,
  ringPieces,
  type Slots,
  seriesPieces,
} from './series-pieces.js';

/** A series: `t.int32()` in each of 24 slots. */
export type Series<T> = Property<Slots<T>, 'optional', 'opaque'>;
/** A series of the last so many periods. */
export type Ring<T> = Property<Slots<RingSlot<T>>, 'optional', 'opaque'>;

type Plain<T = unknown> = Property<T, 'required', 'plain'>;

/** What of a property is a series, by its definition. */
export interface SeriesShape {
  readonly each: Property;
  readonly slots: number;
  /** Of a ring. */
  readonly every: Period | undefined;
}

const SHAPES = new WeakMap<object, SeriesShape>();

/** Undefined unless it is a series. Compares the pieces, which stay when the property is renamed. */
export const shapeOf = ({ pieces }: Property): SeriesShape | undefined => pieces && SHAPES.get(pieces);

/**
 * A property with this many values of one type, each in a slot of its own, from 0. A slot is written by a merge of it alone; the row need not be read, nor be there.
 *
 * Throws DefinitionInvalid.
 */
export function series<P extends Plain>(each: P, slots: number): Series<ValueOf<P>> {
  checkSlots('series()', slots, each);
  const pieces = seriesPieces(each, slots);
  SHAPES.set(pieces, { each, slots, every: undefined });
  return inPieces<Slots<ValueOf<P>>>(each.edm, pieces).optional();
}

/**
 * The values of the last so many periods, which take the slots in turn: each stands with the number of its period, so that yesterday's value is not read as today's. Throws DefinitionInvalid.
 */
export function ring<P extends Plain>(
  each: P,
  { slots, every }: { readonly slots: number; readonly every: Period },
): Ring<ValueOf<P>> {
  checkSlots('ring()', slots, each);
  if (2 * slots > CUSTOM_PROPERTIES_MAX)
    refuseDefinition(
      'ring()',
      `${slots} slots are ${2 * slots} properties, and a row may have ${CUSTOM_PROPERTIES_MAX}`,
    );
  if (!['minute', 'hour', 'day'].includes(every))
    refuseDefinition('ring()', `a period is a minute, an hour or a day, and not ${every}`);
  const pieces = ringPieces(each, slots);
  SHAPES.set(pieces, { each, slots, every });
  return inPieces<Slots<RingSlot<ValueOf<P>>>>(each.edm, pieces).optional();
}
