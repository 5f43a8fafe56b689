// How the slots of a series are stored in a row: each in a property of its own, or two, so that writers of different slots merge into the row without knowing each other. Pure.

import { checkValue } from '../../values/check-value.js';
import { INT64_MAX } from '../../values/edm.js';
import { Instant, TICKS_OF } from '../../values/instant.js';
import { refuseDefinition, refuseValue } from '../../values/pattern-error.js';
import type { Joined, Piece, Pieces } from '../../values/pieces.js';
import type { Property } from '../../values/property.js';
import type { TypedValue } from '../../values/typed-value.js';
import { CUSTOM_PROPERTIES_MAX } from '../../values/wire-property.js';

/** The values of a series by their slots; undefined where there is none. */
export type Slots<T> = readonly (T | undefined)[];

/** A value of a ring, and the number of the period that it is of. */
export interface RingSlot<T> {
  readonly period: bigint;
  readonly value: T;
}

/** What a slot is called in a table: `hits07` of 24. */
export function slotName(wire: string, slot: number, slots: number): string {
  return `${wire}${String(slot).padStart(String(slots - 1).length, '0')}`;
}

const periodName = (name: string): string => `${name}Period`;

/** Throws DefinitionInvalid. */
export function checkSlots(subject: string, slots: number, each: Property): void {
  if (!Number.isInteger(slots) || slots < 2 || slots > CUSTOM_PROPERTIES_MAX)
    refuseDefinition(
      subject,
      `it has from 2 to ${CUSTOM_PROPERTIES_MAX} slots, not ${slots}: for more, a row a period, a wide entity, or a blob`,
    );
  if (each.presence !== 'required' || each.pieces !== undefined || each.json !== undefined)
    refuseDefinition(subject, 'its values are of one plain type, and any slot may be missing');
}

type Values = readonly unknown[];
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

const inSlots = (each: Property, slots: number, slot: Slot): Pieces => {
  const all = (wire: string): readonly string[] =>
    Array.from({ length: slots }, (_, at) => slotName(wire, at, slots));
  return {
    names: wire => all(wire).flatMap(slot.names),
    count: slot.names('').length * slots,
    isWhole: false,
    /** Slots that are given stay over those that were. */
    over: (before, given) => (before as Values).map((value, at) => (given as Values)[at] ?? value),
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
        const own = (value as Values)[at];
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
};

export const seriesPieces = (each: Property, slots: number): Pieces => inSlots(each, slots, plainSlot(each));
export const ringPieces = (each: Property, slots: number): Pieces => inSlots(each, slots, ringSlot(each));

/** How long a period of a ring is: all begin with the year 1, in UTC. */
export type Period = keyof typeof TICKS_OF;

/** The number of the period that has the instant. */
export const periodOf = ({ ticks }: Instant, every: Period): bigint => ticks / TICKS_OF[every];
export const startOf = (period: bigint, every: Period): Instant =>
  Instant.fromTicks(period * TICKS_OF[every]);
