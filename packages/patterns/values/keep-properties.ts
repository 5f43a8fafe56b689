// Keeps properties of a row that its entity does not know, as they go back in a replace.
import { decodeProperty } from './decode-property.js';
import type { WireObject } from './read-wire.js';
import { annotationOf, memberOf } from './row-member.js';
import { encodeProperty, type WireProperty } from './wire-property.js';

/** The properties of these names, as they will be sent back. */
export function keepProperties(row: WireObject, names: readonly string[]): readonly WireProperty[] {
  const kept: WireProperty[] = [];
  for (const name of names) {
    const value = memberOf(row, name);
    if (value === undefined) continue;
    const typed = decodeProperty(value, memberOf(row, annotationOf(name)));
    kept.push(encodeProperty(name, typed.type, typed.value));
  }
  return kept;
}
