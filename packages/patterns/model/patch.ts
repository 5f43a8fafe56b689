// What a merge changes: some properties of an entity by their names in the program, set or removed. encode-entity.ts encodes those that are set.
import type { Refused } from '../values/pattern-error.js';
import type { ValueOf, Values } from '../values/property.js';
import type { AnyEntity, KeyOf } from './definition.js';
import { refuseStrangers } from './encode-entity.js';

/** In a merge: removes the property. `null` does the same, except for a JSON property, where null is a value. */
export const remove: unique symbol = Symbol('remove');
/** The type of `remove`. */
export type Remove = typeof remove;

/**
 * What a merge may change: everything but the parts of the keys. `undefined` leaves a property as it is; `null` or `remove` takes an optional one away,
 * unless `R` is `never`.
 */
export type PatchOf<E extends AnyEntity, R = null | Remove> = {
  readonly [K in Exclude<keyof E['props'], keyof KeyOf<E>>]?:
    | ValueOf<E['props'][K]>
    | (E['props'][K]['presence'] extends 'optional' ? R : never)
    | undefined;
};

/** For the compiler only: why the parts of keys are not in a patch. */
export type KeyStays<E extends AnyEntity> = {
  readonly [K in keyof KeyOf<E>]?: Refused<`${K & string} is part of a key, and a row cannot change its keys`>;
};

/** A patch as a program gives it. */
export type GivenPatch<E extends AnyEntity, R = null | Remove> = PatchOf<E, R> & KeyStays<E>;

/** A patch, taken apart. */
interface Patch {
  readonly set: Values;
  /** Names of properties that go. */
  readonly removed: readonly string[];
}

/** Throws ValueInvalid, also for a property to be removed that the entity does not have. */
export function readPatch(entity: AnyEntity, patch: Values): Patch {
  refuseStrangers(entity, patch);
  const set: Record<string, unknown> = {};
  const removed: string[] = [];
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    const isJson = entity.plan.byName.get(name)?.property.json !== undefined;
    if (value === remove || (value === null && !isJson)) removed.push(name);
    else set[name] = value;
  }
  return { set, removed };
}
