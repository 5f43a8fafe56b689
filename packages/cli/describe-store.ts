// The words in which commands say how much is in a store.
import type { CheckReport } from '#store-lmdb';

/** `3 tables, 1200 entities, 524288 bytes`. Bytes are those of the file. */
export function describeStore({ spaces, fileBytes }: CheckReport): string {
  const tables = spaces.filter(({ service }) => service === 'table');
  const entities = tables.reduce((sum, { rows }) => sum + rows, 0);
  return `${counted(tables.length, 'table')}, ${counted(entities, 'entity', 'entities')}, ${fileBytes} bytes`;
}

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
