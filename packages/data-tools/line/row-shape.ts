// What rows mostly repeat: the members of the row before, and what they come to. Who reads many texts hands the same one to each.
import type { Member } from './member.js';
import { compareText, type EdmType } from './row.js';
import { RowError } from './row-error.js';

/** Where a property's value stands among the members of a row, and what type they give it. */
export interface Place {
  readonly name: string;
  readonly value: number;
  /** Undefined where it has no annotation. */
  readonly annotation: Annotation | undefined;
}

export interface Annotation {
  /** As the text had it. */
  readonly token: string;
  /** Undefined for one that tables do not have. */
  readonly type: EdmType | undefined;
}

export class RowShape {
  members: readonly Member[] = [];
  /** In the order of names. */
  places: readonly Place[] = [];
  /** Where keys and Timestamp stand; -1 where there are none. */
  partitionKey = -1;
  rowKey = -1;
  timestamp = -1;

  /** @throws RowError for a name that comes twice. */
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
