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

const isMissing = (value: unknown): boolean => value === undefined || value === null;

/** Throws ValueInvalid. */
function checkedSlots(
  value: unknown,
  name: string,
  slots: number,
  check: (each: unknown) => unknown,
): Values {
  if (!Array.isArray(value)) return refuseValue(name, `an array of up to ${slots} slots`, 'it is none');
  if (value.length > slots) refuseValue(name, `an array of up to ${slots} slots`, `it has ${value.length}`);
  return Array.from({ length: slots }, (_, slot) =>
    isMissing(value[slot]) ? undefined : check(value[slot]),
  );
}

/** Slots that are given stay over those that were. */
const over = (before: unknown, given: unknown): Values =>
  (before as Values).map((value, slot) => (given as Values)[slot] ?? value);

const numbered = (slots: number): readonly number[] => Array.from({ length: slots }, (_, slot) => slot);

function joined(type: TypedValue['type'], values: Values): Joined | undefined {
  if (values.every(value => value === undefined)) return undefined;
  return { typed: { type, value: values as never } };
}

/** The type of a stored slot; whole numbers may be there as Int32. */
function slotValue({ edm }: Property, found: TypedValue): unknown {
  if (found.type === edm || (found.type === 'Int32' && edm === 'Double')) return found.value;
  return found.type === 'Int32' && edm === 'Int64' ? BigInt(Number(found.value)) : undefined;
}

export const seriesPieces = (each: Property, slots: number): Pieces => ({
  names: wire => numbered(slots).map(slot => slotName(wire, slot, slots)),
  count: slots,
  isWhole: false,
  over,
  check: (value, name) => checkedSlots(value, name, slots, slot => checkValue(each, slot, name)),
  split: (wire, value): readonly Piece[] =>
    numbered(slots).flatMap(slot => {
      const own = (value as Values)[slot];
      return own === undefined ? [] : [{ name: slotName(wire, slot, slots), type: each.edm, value: own }];
    }),
  join: (wire, read) => {
    const values: unknown[] = [];
    for (const slot of numbered(slots)) {
      const found = read(slotName(wire, slot, slots));
      const value = found && slotValue(each, found);
      if (found !== undefined && value === undefined)
        return { fault: `its slot ${slot} is stored as ${found.type}, and not as ${each.edm}` };
      values.push(value);
    }
    return joined(each.edm, values);
  },
});

function checkedRingSlot(each: Property, given: unknown, name: string): RingSlot<unknown> {
  const { period, value } = (given ?? {}) as Partial<RingSlot<unknown>>;
  if (typeof period !== 'bigint' || period < 0n || period > INT64_MAX)
    refuseValue(name, '{ period, value }', 'the period is not a bigint from 0');
  return { period: period as bigint, value: checkValue(each, value, name) };
}

/** A slot and its period go together, in one merge. */
export const ringPieces = (each: Property, slots: number): Pieces => ({
  names: wire =>
    numbered(slots).flatMap(slot => {
      const name = slotName(wire, slot, slots);
      return [name, periodName(name)];
    }),
  count: 2 * slots,
  isWhole: false,
  over,
  check: (value, name) => checkedSlots(value, name, slots, slot => checkedRingSlot(each, slot, name)),
  split: (wire, value): readonly Piece[] =>
    numbered(slots).flatMap(slot => {
      const own = (value as readonly (RingSlot<unknown> | undefined)[])[slot];
      const name = slotName(wire, slot, slots);
      if (own === undefined) return [];
      return [
        { name, type: each.edm, value: own.value },
        { name: periodName(name), type: 'Int64', value: own.period },
      ];
    }),
  join: (wire, read) => {
    const values: unknown[] = [];
    for (const slot of numbered(slots)) {
      const name = slotName(wire, slot, slots);
      const [found, at] = [read(name), read(periodName(name))];
      const value = found && slotValue(each, found);
      const isPeriod = at?.type === 'Int64' || at?.type === 'Int32';
      if (found === undefined && at === undefined) values.push(undefined);
      else if (value === undefined || at === undefined || !isPeriod)
        return { fault: `its slot ${slot} is not a value with a period` };
      else values.push({ period: BigInt(at.value as bigint | number), value });
    }
    return joined(each.edm, values);
  },
});

/** How long a period of a ring is: all begin with the year 1, in UTC. */
export type Period = keyof typeof TICKS_OF;

/** The number of the period that has the instant. */
export const periodOf = ({ ticks }: Instant, every: Period): bigint => ticks / TICKS_OF[every];
export const startOf = (period: bigint, every: Period): Instant =>
  Instant.fromTicks(period * TICKS_OF[every]);
