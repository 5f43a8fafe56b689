// A wide entity whose properties all have one value, so that a mixture of two writes shows in any two of them; and clients that come between the rows of a read.
import assert from 'node:assert/strict';
import { key, type NewOf, t } from '#patterns';
import { type WideEntity, wide } from '#patterns/wide';
import { FaultyClient } from '../support/faulty-client.js';

/** Of `count` whole numbers. */
export const wideOf = (table: string, count: number) => {
  const numbers = Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`n${String(at).padStart(4, '0')}`, t.int32()] as const),
  );
  return wide('Wide', {
    version: 1,
    table,
    props: { id: t.string(), note: t.string().long().optional(), ...numbers },
    partition: key('wide'),
    row: p => key('wide', p.id),
  });
};

type EntityOf<W> = W extends WideEntity<infer E> ? E : never;
export type Wide = ReturnType<typeof wideOf>;
type WideValue = NewOf<EntityOf<Wide>>;

export const wideValue = (id: string, count: number, number: number, note?: string): WideValue =>
  ({
    id,
    ...(note !== undefined && { note }),
    ...Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`n${String(at).padStart(4, '0')}`, number]),
    ),
  }) as WideValue;

/** The one number of a value. Fails for a mixture. */
export function numberOf(value: object): number {
  const numbers = new Set(
    Object.entries(value).flatMap(([name, is]) => (/^n\d{4}$/.test(name) ? [Number(is)] : [])),
  );
  assert.equal(numbers.size, 1, `a mixture of ${[...numbers].join(' and ')}`);
  return [...numbers][0] as number;
}

/** Each row of a query is a page, and something is done between pages. */
export function tornReads(between: () => Promise<unknown>): FaultyClient {
  let pages = 0;
  return new FaultyClient(async (_, request) => {
    if (request.method !== 'GET' || !request.url.includes('()')) return undefined;
    if (pages++ > 0) await between();
    const url = new URL(request.url);
    url.searchParams.set('$top', '1');
    request.url = url.href;
    return undefined;
  });
}
