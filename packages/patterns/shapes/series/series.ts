// Definitions of series: properties of an entity with many values, in slots that are written one by one. Each slot stands in a property of its own, or two, so that writers of different slots merge into the row
// without knowing each other.

import { checkValue } from '../../values/check-value.js';
import { INT64_MAX } from '../../values/edm.js';
import type { TICKS_OF } from '../../values/instant.js';
import { refuseDefinition, refuseValue } from '../../values/pattern-error.js';
import type { Joined, Piece, Pieces } from '../../values/pieces.js';
import { inPieces, type Property, type ValueOf } from '../../values/property.js';
import type { TypedValue } from '../../values/typed-value.js';
import { CUSTOM_PROPERTIES_MAX } from '../../values/wire-property.js';

/** The values of a series by their slots; undefined where there is none. */
export type Slots<T> = readonly (T | undefined)[];

/** A value of a ring, and the number of the period that it is of. */
export interface RingSlot<T> {
  readonly period: bigint;
  readonly value: T;
}

/** How long a period of a ring is: all begin with the year 1, in UTC. */
export type Period = keyof typeof TICKS_OF;

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

interface SeriesPieces extends Pieces {
  readonly shape: SeriesShape;
}

const isOfSeries = (pieces: Pieces | undefined): pieces is SeriesPieces =>
  pieces !== undefined && 'shape' in pieces;

/** Undefined unless it is a series. The pieces stay when the property is renamed. */
export const shapeOf = ({ pieces }: Property): SeriesShape | undefined =>
  isOfSeries(pieces) ? pieces.shape : undefined;

/** What a slot is called in a table: `hits07` of 24. */
export const slotName = (wire: string, slot: number, slots: number): string =>
  `${wire}${String(slot).padStart(String(slots - 1).length, '0')}`;

const periodName = (name: string): string => `${name}Period`;

type Read = Parameters<Pieces['join']>[1];

/** How one slot stands in a row. `name` is its first property's. */
interface Slot {
  names(name: string): readonly string[];
  check(given: unknown, property: string): unknown;
  split(value: unknown, name: string): readonly Piece[];
  /** Undefined where there is no value; a fault as what follows "its slot 7 is". */
  join(read: Read, name: string): { readonly value: unknown } | { readonly fault: string } | undefined;
}

/** The type of a stored slot; whole numbers may be there as Int32. */
function slotValue({ edm }: Property, found: TypedValue | undefined): unknown {
  if (found?.type === edm || (found?.type === 'Int32' && edm === 'Double')) return found.value;
  return found?.type === 'Int32' && edm === 'Int64' ? BigInt(Number(found.value)) : undefined;
}

const plainSlot = (each: Property): Slot => ({
  names: name => [name],
  check: (given, property) => checkValue(each, given, property),
  split: (value, name) => [{ name, type: each.edm, value }],
  join: (read, name) => {
    const found = read(name);
    const value = slotValue(each, found);
    if (found === undefined || value !== undefined) return found && { value };
    return { fault: `stored as ${found.type}, and not as ${each.edm}` };
  },
});

/** A value and its period go together, in one merge. */
const ringSlot = (each: Property): Slot => ({
  names: name => [name, periodName(name)],
  check: (given, property): RingSlot<unknown> => {
    const { period, value } = (given ?? {}) as Partial<RingSlot<unknown>>;
    if (typeof period !== 'bigint' || period < 0n || period > INT64_MAX)
      return refuseValue(property, '{ period, value }', 'the period is not a bigint from 0');
    return { period, value: checkValue(each, value, property) };
  },
  split: (given, name) => {
    const { period, value } = given as RingSlot<unknown>;
    return [
      { name, type: each.edm, value },
      { name: periodName(name), type: 'Int64', value: period },
    ];
  },
  join: (read, name) => {
    const [found, at] = [read(name), read(periodName(name))];
    if (found === undefined && at === undefined) return undefined;
    const value = slotValue(each, found);
    if (value === undefined || (at?.type !== 'Int64' && at?.type !== 'Int32'))
      return { fault: 'not a value with a period' };
    return { value: { period: BigInt(at.value as bigint | number), value } };
  },
});

function inSlots(shape: SeriesShape, slot: Slot): SeriesPieces {
  const { each, slots } = shape;
  const all = (wire: string): readonly string[] =>
    Array.from({ length: slots }, (_, at) => slotName(wire, at, slots));
  return {
    shape,
    names: wire => all(wire).flatMap(slot.names),
    count: slot.names('').length * slots,
    isWhole: false,
    /** Slots that are given stay over those that were. */
    over: (before, given) =>
      (before as Slots<unknown>).map((value, at) => (given as Slots<unknown>)[at] ?? value),
    /** Throws ValueInvalid. */
    check: (value, name) => {
      const expected = `an array of up to ${slots} slots`;
      if (!Array.isArray(value)) return refuseValue(name, expected, 'it is none');
      if (value.length > slots) refuseValue(name, expected, `it has ${value.length}`);
      return Array.from({ length: slots }, (_, at) => {
        const given: unknown = value[at] ?? undefined;
        return given === undefined ? undefined : slot.check(given, name);
      });
    },
    split: (wire, value) =>
      all(wire).flatMap((name, at) => {
        const own = (value as Slots<unknown>)[at];
        return own === undefined ? [] : slot.split(own, name);
      }),
    join: (wire, read): Joined | undefined => {
      const values: unknown[] = [];
      for (const [at, name] of all(wire).entries()) {
        const joined = slot.join(read, name);
        if (joined !== undefined && 'fault' in joined) return { fault: `its slot ${at} is ${joined.fault}` };
        values.push(joined?.value);
      }
      if (values.every(value => value === undefined)) return undefined;
      return { typed: { type: each.edm, value: values as never } };
    },
  };
}

function define<T>(
  subject: string,
  shape: SeriesShape,
  slot: Slot,
): Property<Slots<T>, 'optional', 'opaque'> {
  const { each, slots } = shape;
  if (!Number.isInteger(slots) || slots < 2 || slots > CUSTOM_PROPERTIES_MAX)
    refuseDefinition(
      subject,
      `it has from 2 to ${CUSTOM_PROPERTIES_MAX} slots, not ${slots}: for more, a row a period, a wide entity, or a blob`,
    );
  if (each.presence !== 'required' || each.pieces !== undefined || each.json !== undefined)
    refuseDefinition(subject, 'its values are of one plain type, and any slot may be missing');
  const pieces = inSlots(shape, slot);
  if (pieces.count > CUSTOM_PROPERTIES_MAX)
    refuseDefinition(
      subject,
      `${slots} slots are ${pieces.count} properties, and a row may have ${CUSTOM_PROPERTIES_MAX}`,
    );
  return inPieces<Slots<T>>(each.edm, pieces).optional();
}

/**
 * A property with this many values of one type, each in a slot of its own, from 0. A slot is written by a merge of it alone; the row need not be read, nor be there.
 *
 * Throws DefinitionInvalid.
 */
export const series = <P extends Plain>(each: P, slots: number): Series<ValueOf<P>> =>
  define('series()', { each, slots, every: undefined }, plainSlot(each));

/**
 * The values of the last so many periods, which take the slots in turn: each stands with the number of its period, so that yesterday's value is not read as today's. Throws DefinitionInvalid.
 */
export function ring<P extends Plain>(
  each: P,
  { slots, every }: { readonly slots: number; readonly every: Period },
): Ring<ValueOf<P>> {
  if (!['minute', 'hour', 'day'].includes(every))
    refuseDefinition('ring()', `a period is a minute, an hour or a day, and not ${every}`);
  return define('ring()', { each, slots, every }, ringSlot(each));
}
