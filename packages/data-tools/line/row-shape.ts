// The repeated parts of rows: the members of the previous row, and their interpretation. A reader of many texts passes
// the same shape to each call.
import type { Member } from './member.js';
import { compareText, type EdmType, RowError } from './row.js';

/** The position of a property's value among a row's members, and the type that they give it. */
export interface Place {
  readonly name: string;
  readonly value: number;
  /** Undefined if it has no annotation. */
  readonly annotation: Annotation | undefined;
}

export interface Annotation {
  /** As in the text. */
  readonly token: string;
  /** Undefined if tables do not support it. */
  readonly type: EdmType | undefined;
}

export class RowShape {
  members: readonly Member[] = [];
  /** In the order of names. */
  places: readonly Place[] = [];
  /** Positions of keys and Timestamp; -1 if absent. */
  partitionKey = -1;
  rowKey = -1;
  timestamp = -1;

  /** @throws RowError for a repeated name. */
  change(members: readonly Member[]): void {
    this.members = [];
    const annotations = new Map<string, Annotation>();
    const seen = new Set<string>();
    for (const { role, name, typeOf, type, token } of members) {
      if (role === 'type') annotations.set(typeOf, { token, type });
      else if (role !== 'control' && seen.has(name))
        throw new RowError(`the member ${JSON.stringify(name)} comes twice`);
      else seen.add(name);
    }
    const placeOf = (wanted: Member['role']): number => members.findIndex(({ role }) => role === wanted);
    this.partitionKey = placeOf('partitionKey');
    this.rowKey = placeOf('rowKey');
    this.timestamp = placeOf('timestamp');
    const places: Place[] = [];
    for (const [value, { role, name }] of members.entries())
      if (role === 'property') places.push({ name, value, annotation: annotations.get(name) });
    this.places = places.sort((one, other) => compareText(one.name, other.name));
    this.members = members;
  }
}
