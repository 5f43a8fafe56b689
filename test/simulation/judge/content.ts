// The custom properties of an entity as one comparable text: of an answer, and of the model's expectation.
import { answered, isAnnotated, type Property } from '../plan/value.js';
import type { Level } from './history.js';

const SYSTEM: ReadonlySet<string> = new Set(['PartitionKey', 'RowKey', 'Timestamp']);

/** With a projection the order of the members does not count. */
const join = (members: readonly (readonly [string, unknown])[], isProjection: boolean): string => {
  const texts = members.map(member => JSON.stringify(member));
  return (isProjection ? texts.sort() : texts).join();
};

/** Of the members of an answer, without control information. */
export const seenContent = (
  members: readonly (readonly [string, unknown])[],
  isProjection: boolean,
): string =>
  join(
    members.filter(([name]) => !SYSTEM.has(name.split('@', 1)[0] ?? '')),
    isProjection,
  );

/** A name of the projection that the entity does not have is null. */
export function expectedContent(
  properties: readonly Property[],
  level: Level,
  select: readonly string[] | undefined,
): string {
  const members: [string, unknown][] = [];
  for (const [name, value] of properties) {
    if (select && !select.includes(name)) continue;
    if (level !== 'nometadata' && isAnnotated(value)) members.push([`${name}@odata.type`, value.type]);
    members.push([name, answered(value)]);
  }
  for (const name of new Set(select)) {
    if (!SYSTEM.has(name) && !properties.some(([held]) => held === name)) members.push([name, null]);
  }
  return join(members, select !== undefined);
}
