// Formats the summary of a store for the commands' output.
import type { StoreReport } from '#store';

/** The services other than tables, and the name of their spaces. */
const OTHERS = [
  ['queue', 'queue'],
  ['blob', 'container'],
] as const;

/**
 * `3 tables, 1200 entities, 2 queues, 1 container, 524288 bytes`. Queues and containers are named if there are any;
 * bytes are the size of the data.
 */
export function describeStore({ spaces, bytes }: StoreReport): string {
  const tables = spaces.filter(({ service }) => service === 'table');
  const entities = tables.reduce((sum, { rows }) => sum + rows, 0);
  const others = OTHERS.flatMap(([of, name]) => {
    const count = spaces.filter(({ service }) => service === of).length;
    return count > 0 ? [counted(count, name)] : [];
  });
  const parts = [counted(tables.length, 'table'), counted(entities, 'entity', 'entities'), ...others];
  return `${parts.join(', ')}, ${bytes} bytes`;
}

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
