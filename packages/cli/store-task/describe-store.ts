// Formats the summary of a store for the commands' output.
import type { StoreReport } from '#store';

/** `3 tables, 1200 entities, 2 queues, 524288 bytes`. Queues are named where there are any; bytes are the size of the data. */
export function describeStore({ spaces, bytes }: StoreReport): string {
  const tables = spaces.filter(({ service }) => service === 'table');
  const entities = tables.reduce((sum, { rows }) => sum + rows, 0);
  const queues = spaces.filter(({ service }) => service === 'queue').length;
  const more = queues > 0 ? `, ${counted(queues, 'queue')}` : '';
  return `${counted(tables.length, 'table')}, ${counted(entities, 'entity', 'entities')}${more}, ${bytes} bytes`;
}

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
