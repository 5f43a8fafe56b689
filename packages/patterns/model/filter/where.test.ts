// What programs without a compiler may give as a condition: each has a sentence that names it, and no TypeError of this library's inside.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { entity, key, PatternError, t } from '../../index.js';
import { satisfies } from '../../joins.js';
import { fieldsOf } from './where.js';

const Order = entity('Order', {
  version: 1,
  table: 'Orders',
  props: {
    shop: t.string(),
    id: t.int32(),
    total: t.double(),
    address: t.json(z.object({ city: z.string() })),
    text: t.string().long(),
  },
  partition: p => key(p.shop),
  row: p => key(p.id),
});

/** As a program without types has the fields of an entity. */
type Untyped = {
  readonly [K in 'address' | 'city' | 'text' | 'shop' | 'amount' | 'missing' | 'total' | 'id']: Untyped;
} & { readonly [K in 'eq' | 'gt' | 'and' | 'or' | 'like' | 'equals']: (value: unknown) => Untyped };

const refuses = (build: (p: Untyped) => unknown, reason: RegExp): void =>
  assert.throws(
    () => satisfies(Order, build as never),
    (thrown: unknown) => PatternError.is(thrown) && reason.test(thrown.message),
  );

describe('conditions of programs without types', () => {
  test('within a value are refused by the name of the property', () => {
    refuses(p => p.address.city.eq('Rome'), /Order\.address: it is opaque to the service/);
    refuses(p => p.text.eq('a'), /Order\.text: it is opaque/);
    refuses(p => p.shop.city.eq('Rome'), /shop\.city .* a filter compares whole properties/);
    refuses(p => p.total.amount.gt(3), /total\.amount .* eq, ne, gt/);
  });

  test('of a property or an operator that is not there are refused by its name', () => {
    refuses(p => p.missing.eq(1), /The property missing should be a property of Order/);
    refuses(p => p.constructor, /The property constructor should be a property of Order/);
    refuses(p => p.total.equals(3), /total\.equals should be one of eq, ne/);
    refuses(p => p.id.like('a%'), /id\.like should be one of/);
  });

  test('that are none are refused where they stand', () => {
    const none = /The property where should be made of conditions/;
    for (const each of [undefined, null, true, 'total gt 3', { total: 3 }]) {
      refuses(() => each, none);
      refuses(p => p.total.gt(3).and(each), none);
      refuses(p => p.total.gt(3).or(each), none);
    }
    refuses(p => p.total, /total\.condition should be one of/);
    refuses(p => p.total.gt(3).and(() => p.id.eq(1)), none);
    for (const build of [undefined, {}, { total: 3 }, 'total gt 3']) refuses(build as never, none);
  });

  test('leave what is there as it was', () => {
    const fields = fieldsOf(Order);
    assert.deepEqual(Object.keys(fields), ['shop', 'id', 'total']);
    assert.equal(fieldsOf(Order), fields);
    const nested = satisfies(Order, p => p.total.gt(3).and(p.id.eq(1).or(p.id.eq(2).not())));
    const value = { shop: 'a', total: 4, address: { city: 'Rome' }, text: '' };
    assert.deepEqual([nested({ ...value, id: 2 }), nested({ ...value, id: 3 })], [false, true]);
  });
});
