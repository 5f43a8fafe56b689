// Writes and reads the slots of a series. A slot is set blindly, by an upsert-merge of it alone; `mutate` computes a value from the one before, under the ETag of the row.
//
// Many writers merge into one row without knowing each other, so the next of them would overwrite an operation id in the row: a slot's value takes its place. If the answer to a set is lost and the
// slot has the value, it was done; if not, it is set again, which changes nothing for a slot with one writer.

import type { CallOptions } from '../../concurrency/abort.js';
import { addressOfKey } from '../../model/address.js';
import type { AnyEntity, KeyOf, NewOf, Of } from '../../model/definition.js';
import { hasDerivedRows, type StoredOf } from '../../model/stored.js';
import { Attempts } from '../../repo/optimistic.js';
import type { MutateOptions } from '../../repo/write/mutate.js';
import { OPERATIONS } from '../../repo/write/operations.js';
import { newIdentity, timeOfWrite } from '../../repo/write/plan-write.js';
import { Repo, type RepoOptions } from '../../repo/write/repo.js';
import type { Service } from '../../repo/write/service.js';
import { writePlanned } from '../../repo/write/write-planned.js';
import { Instant, TICKS_OF } from '../../values/instant.js';
import { PatternError, refuseDefinition, refuseValue } from '../../values/pattern-error.js';
import type { ValueOf, Values } from '../../values/property.js';
import { type Period, type RingSlot, type SeriesShape, type Slots, shapeOf } from './series.js';

/** The names of an entity's series. */
export type SeriesName<E extends AnyEntity> = {
  [K in keyof E['props']]: ValueOf<E['props'][K]> extends Slots<unknown> ? K : never;
}[keyof E['props']] &
  string;

/** What stands in a slot; of a ring, without its period. */
type SlotOf<E extends AnyEntity, S extends SeriesName<E>> =
  Exclude<ValueOf<E['props'][S]>[number & keyof ValueOf<E['props'][S]>], undefined> extends infer T
    ? T extends RingSlot<infer V>
      ? V
      : T
    : never;

/** A value of a ring, and when its period begins. */
export interface RingValue<T> {
  readonly from: Instant;
  readonly value: T | undefined;
}

/** The number of the period that has the instant. */
const periodOf = ({ ticks }: Instant, every: Period): bigint => ticks / TICKS_OF[every];

/** Where the rows stand, and how often a set is tried. */
export interface SeriesOptions extends RepoOptions {
  /** How often a set is tried whose answer is lost: 8 by default. */
  readonly attempts?: number | undefined;
}

/** Counts in a slot that no other writer has. It sends its total, so that a request that is sent twice counts once. */
export interface SlotCounter<E extends AnyEntity, S extends SeriesName<E>> {
  /** Adds to what the slot has; the first time that is read. One request each. After a failure the next call counts what this one should have. */
  add(count: SlotOf<E, S>, options?: CallOptions): Promise<SlotOf<E, S>>;
}

/** One series of an entity's rows. */
export class SeriesRepo<E extends AnyEntity, S extends SeriesName<E>> {
  readonly #service: Service;
  readonly #entity: E;
  readonly #series: S;
  readonly #shape: SeriesShape;
  readonly #rows: Repo<E>;
  readonly #attempts: number | undefined;

  constructor(service: Service, entity: E, series: S, { attempts, ...options }: SeriesOptions = {}) {
    const property = entity.plan.byName.get(series)?.property;
    const shape = property && shapeOf(property);
    if (shape === undefined) refuseDefinition(`${entity.name}.${series}`, 'it is not a series');
    // The first writer of a slot makes the row.
    const needed = entity.plan.fields.find(each => each.property.presence === 'required' && !each.inKey);
    if (needed !== undefined)
      refuseDefinition(
        `${entity.name}.${needed.name}`,
        'in an entity with a series it is optional or has a default: whoever writes a slot first makes the row, and knows its key alone',
      );
    this.#service = service;
    this.#entity = entity;
    this.#series = series;
    this.#shape = shape as SeriesShape;
    this.#rows = new Repo(service, entity, options);
    this.#attempts = attempts;
  }

  /** The row, with all slots; undefined if it was never written. */
  get(key: KeyOf<E>, options: CallOptions = {}): Promise<StoredOf<E> | undefined> {
    return this.#rows.get(key, options);
  }

  /** All slots from 0, undefined where there is no value. */
  async slots(key: KeyOf<E>, options: CallOptions = {}): Promise<Slots<SlotOf<E, S>>> {
    const found = this.#slotsIn((await this.get(key, options))?.value);
    return this.#shape.every === undefined
      ? (found as Slots<SlotOf<E, S>>)
      : found.map(each => (each as RingSlot<SlotOf<E, S>> | undefined)?.value);
  }

  /**
   * Sets the slot to the value, whatever it was: one request, no read, and the row is made if it does not exist. If the answer is lost, the slot is read, and set again if it has another
   * value: so in a slot with several writers an older value may come back once. Throws OutcomeUnknown if no answer comes.
   */
  async set(key: KeyOf<E>, slot: number, value: SlotOf<E, S>, options: CallOptions = {}): Promise<void> {
    this.#refuseRing('setAt');
    await this.#set(key, this.#checkedSlot(slot), value, options);
  }

  /** Of a ring: the value of the period that has the instant. Throws ValueInvalid for a period that the ring has no place for any longer, or not yet. */
  async setAt(key: KeyOf<E>, at: Instant, value: SlotOf<E, S>, options: CallOptions = {}): Promise<void> {
    const { period, slot } = this.#placeOf(at);
    await this.#set(key, slot, { period, value }, options);
  }

  /** Computes the slot from what it is, under optimistic concurrency of the row. Throws Contention: slots of their own, one a writer, have none. */
  async mutate(
    key: KeyOf<E>,
    slot: number,
    change: (current: SlotOf<E, S> | undefined) => SlotOf<E, S> | undefined,
    options: MutateOptions = {},
  ): Promise<void> {
    this.#refuseRing('mutateAt');
    const at = this.#checkedSlot(slot);
    await this.#mutate(key, at, now => change(now as SlotOf<E, S> | undefined), options);
  }

  /** Of a ring: a value of an earlier period counts as none. A later one than that of the instant stays. Throws ValueInvalid as `setAt`, and Contention. */
  async mutateAt(
    key: KeyOf<E>,
    at: Instant,
    change: (current: SlotOf<E, S> | undefined) => SlotOf<E, S> | undefined,
    options: MutateOptions = {},
  ): Promise<void> {
    const { period, slot } = this.#placeOf(at);
    const changeSlot = (now: unknown): unknown => {
      const current = now as RingSlot<SlotOf<E, S>> | undefined;
      if (current !== undefined && current.period > period) return undefined;
      const value = change(current?.period === period ? current.value : undefined);
      return value === undefined ? undefined : { period, value };
    };
    await this.#mutate(key, slot, changeSlot, options);
  }

  /** Of a ring: the periods up to that of the instant, oldest first, undefined where there is no value. */
  async last(
    key: KeyOf<E>,
    at: Instant,
    options: CallOptions = {},
  ): Promise<readonly RingValue<SlotOf<E, S>>[]> {
    const every = this.#every('last');
    const { slots } = this.#shape;
    const found = this.#slotsIn((await this.get(key, options))?.value) as Slots<RingSlot<SlotOf<E, S>>>;
    const now = periodOf(at, every);
    return Array.from({ length: slots }, (_, back) => {
      const period = now - BigInt(slots - 1 - back);
      const own = found[Number(period % BigInt(slots))];
      const from = Instant.fromTicks(period * TICKS_OF[every]);
      return { from, value: own?.period === period ? own.value : undefined };
    });
  }

  /** The sum of all slots, of a series of numbers: what writers with a slot each have counted together. */
  async sum(key: KeyOf<E>, options: CallOptions = {}): Promise<SlotOf<E, S>> {
    const slots = await this.slots(key, options);
    const zero = this.#zero();
    return slots.reduce<unknown>((sum, each) => (sum as number) + ((each ?? zero) as number), zero) as SlotOf<
      E,
      S
    >;
  }

  /** A counter with this slot to itself. Only one may have the slot at a time: two would write over each other. */
  counter(key: KeyOf<E>, slot: number): SlotCounter<E, S> {
    this.#refuseRing('mutateAt');
    this.#checkedSlot(slot);
    const zero = this.#zero();
    let total: number | bigint | undefined;
    // What calls were given that could not read the slot.
    let waiting: number | bigint = zero;
    let last: Promise<unknown> = Promise.resolve();
    const added = async (count: SlotOf<E, S>, options: CallOptions): Promise<SlotOf<E, S>> => {
      waiting = (waiting as number) + (count as number);
      total ??= ((await this.slots(key, options))[slot] as number | undefined) ?? zero;
      total = (total as number) + (waiting as number);
      waiting = zero;
      const sum = total as SlotOf<E, S>;
      await this.set(key, slot, sum, options);
      return sum;
    };
    return {
      add: (count, options = {}) => {
        const done = last.then(() => added(count, options));
        last = done.catch(() => undefined);
        return done;
      },
    };
  }

  #zero(): number | bigint {
    return this.#shape.each.edm === 'Int64' ? 0n : 0;
  }

  async #set(key: KeyOf<E>, slot: number, value: unknown, options: CallOptions): Promise<void> {
    const address = addressOfKey(this.#entity, this.#rows.table, key);
    const settings = { attempts: this.#attempts, ...options };
    for (const attempts = new Attempts(this.#service.surroundings, settings); ; ) {
      try {
        await writePlanned(this.#service, this.#planned(key, slot, value), options);
        return;
      } catch (thrown) {
        if (!PatternError.is(thrown, 'OutcomeUnknown')) throw thrown;
        if (await this.#isThere(key, slot, value, options, thrown)) return;
        await attempts.next(address, undefined).catch((ended: unknown) => {
          throw PatternError.is(ended, 'Contention') ? thrown : ended;
        });
      }
    }
  }

  /** The upsert-merge of the slot alone. */
  #planned(key: KeyOf<E>, slot: number, value: unknown) {
    const [entity, table, now] = [this.#entity, this.#rows.table, timeOfWrite(this.#service)];
    const identity = hasDerivedRows(entity) ? newIdentity(this.#service) : undefined;
    const slots: unknown[] = [];
    slots[slot] = value;
    const row = { ...key, [this.#series]: slots } as unknown as NewOf<E>;
    return OPERATIONS.upsertMerge({ entity, table, identity, now }, row);
  }

  /** Whether the slot has the value now. Throws `thrown` if the read gets no answer either. */
  async #isThere(
    key: KeyOf<E>,
    slot: number,
    value: unknown,
    options: CallOptions,
    thrown: unknown,
  ): Promise<boolean> {
    const row = await this.get(key, options).catch((failure: unknown) => {
      throw PatternError.is(failure, 'Unreachable') ? thrown : failure;
    });
    return textOf(this.#slotsIn(row?.value)[slot]) === textOf(value);
  }

  async #mutate(
    key: KeyOf<E>,
    slot: number,
    change: (now: unknown) => unknown,
    options: MutateOptions,
  ): Promise<void> {
    const changed = (row: Of<E> | undefined): NewOf<E> | undefined => {
      const slots = this.#slotsIn(row);
      const value = change(slots[slot]);
      if (value === undefined) return undefined;
      return { ...(row ?? key), [this.#series]: slots.with(slot, value) } as NewOf<E>;
    };
    try {
      await this.#rows.mutate(key, changed, options);
    } catch (thrown) {
      if (!PatternError.is(thrown, 'Contention')) throw thrown;
      const cause = new Error(
        'Give each writer a slot of its own, set it blindly, and add them up when they are read: counter() and sum().',
      );
      throw new PatternError('Contention', thrown.detail, { cause });
    }
  }

  #slotsIn(value: unknown): Slots<unknown> {
    const { slots } = this.#shape;
    const found = (value as Values | undefined)?.[this.#series] as Slots<unknown> | undefined;
    return Array.from({ length: slots }, (_, slot) => found?.[slot]);
  }

  #checkedSlot(slot: number): number {
    const { slots } = this.#shape;
    if (!Number.isInteger(slot) || slot < 0 || slot >= slots)
      refuseValue(`${this.#series}.slot`, `a slot from 0 to ${slots - 1}`, `${slot} is none`);
    return slot;
  }

  #refuseRing(instead: string): void {
    if (this.#shape.every !== undefined)
      refuseValue(this.#series, 'a series', `a slot of a ring belongs to a period: use ${instead}`);
  }

  #every(op: string): Period {
    return (
      this.#shape.every ?? refuseValue(this.#series, 'a ring', `${op} is of periods, and this is a series`)
    );
  }

  /** A value of a period that is over would take the place of a newer one, which a blind write does not see. */
  #placeOf(at: Instant): { readonly period: bigint; readonly slot: number } {
    const every = this.#every('setAt');
    const slots = BigInt(this.#shape.slots);
    const [period, now] = [periodOf(at, every), periodOf(timeOfWrite(this.#service), every)];
    // A clock may be a little slow.
    if (period <= now - slots || period > now + 1n)
      refuseValue(`${this.#series}.at`, `one of the last ${slots} periods`, `${at} is in none of them`);
    return { period, slot: Number(period % slots) };
  }
}

/** Distinguishes two values of a slot. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, each) =>
    typeof each === 'bigint' ? `${each}n` : each instanceof Uint8Array ? [...each] : each,
  ) ?? '';
