// Typed conditions as tests of values, the rules of types by which the service compares (protocol: queries#comparing), and what programs without a compiler may give as a condition: each has a sentence that names
// it, and no TypeError of this library's inside.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { codec, entity, Instant, key, PatternError, t } from '../../index.js';
import { satisfies } from '../../joins.js';
import { readRow } from '../../values/read-wire.js';
import type { TypedValue } from '../../values/typed-value.js';
import { evaluate, readerOf } from './evaluate.js';
import { parseFilter } from './parse-filter.js';
import { fieldsOf, plainField } from './where.js';

const Visit = entity('Visit', {
  version: 1,
  table: 'Visits',
  props: {
    page: t.string(),
    at: t.instant(),
    views: t.int64(),
    seconds: t.double(),
    isNew: t.bool(),
    image: t.bytes().optional(),
    note: t.string().optional(),
  },
  partition: p => key(p.page.as(codec.lower)),
  row: p => key(p.at.as(codec.timeDesc)),
});

test('values are tested as their rows would be', () => {
  const at = Instant.parse('2026-11-21T10:00:00.0000001Z');
  const visit = { page: 'Home', at, views: 2n ** 60n, seconds: 3, isNew: true };
  const later = Instant.fromTicks(at.ticks + 1n);
  const meets = (build: Parameters<typeof satisfies<typeof Visit>>[1]): boolean =>
    satisfies(Visit, build)(visit);
  assert(
    meets(v =>
      v.seconds
        .eq(3)
        .and(v.isNew.eq(true))
        .and(v.views.gt(2n ** 60n - 1n)),
    ),
  );
  assert(
    meets(v => v.at.lt(later)),
    'a property that only the key holds, in the reverse order of keys',
  );
  assert(!meets(v => v.at.lt(at)));
  assert(meets(v => v.at.between(at, later)));
  assert(
    meets(v => v.page.eq('Home')),
    'the property and not the key, which has lost the capital letter',
  );
  assert(!meets(v => v.page.eq('home')));
  assert(!meets(v => v.note.eq('x').or(v.note.ne('x'))), 'what is not there meets no comparison');
  assert(meets(v => v.note.eq('x').not()));
  assert(!meets(v => v.image.eq(new Uint8Array([1]))));
  assert(meets(v => v.page.startsWith('Ho').and(v.page.startsWith('')).and(v.page.startsWith('ho').not())));
});

test('types that do not match have an answer of their own', () => {
  const row = readRow(
    '{"PartitionKey":"p","RowKey":"r","Timestamp":"2026-11-21T10:00:00Z","i":5,"l@odata.type":"Edm.Int64","l":"5",' +
      '"d":5.0,"s":"5","b":true,"n":null}',
  );
  const meets = (filter: string): boolean => evaluate(parseFilter(filter), readerOf(row));
  for (const name of ['i', 'l', 'd']) assert(meets(`${name} eq 5`), `an Int32 is taken for what ${name} is`);
  for (const name of ['l', 'd']) assert(meets(`${name} eq 5L`));
  assert(meets('d eq 5.0'));
  const mismatches = ['i eq 5L', 'i eq 5.0', 'l eq 5.0', "i eq '5'", 's eq 5', 'b eq 1', "d eq '5'"];
  const answers = { eq: false, ne: true, lt: true, le: true, gt: false, ge: false };
  for (const text of mismatches)
    for (const [operator, expected] of Object.entries(answers))
      assert.equal(meets(text.replace(' eq ', ` ${operator} `)), expected, `${text}, by ${operator}`);
  for (const operator of Object.keys(answers)) assert(!meets(`n ${operator} 5 or nothing ${operator} 'x'`));
  assert(meets('b') && meets('not s') && !meets('i') && !meets('nothing'));
  assert(meets("Timestamp gt datetime'2026-11-21T09:59:59Z'"));
  const typed: TypedValue = { type: 'Double', value: Number.NaN };
  assert(!evaluate(parseFilter('d le 6.0'), () => typed) && evaluate(parseFilter('d ne 6.0'), () => typed));
});

test('a term behind one that decides is not read', () => {
  const row = readRow('{"PartitionKey":"p","RowKey":"r","i":5,"t@odata.type":"Edm.DateTime","t":"never"}');
  const meets = (filter: string): boolean => evaluate(parseFilter(filter), readerOf(row));
  const bad = "t gt datetime'2026-11-21T09:59:59Z'";
  assert(!meets(`i eq 6 and ${bad}`) && meets(`i eq 5 or ${bad}`) && !meets(`not (i eq 5 or ${bad})`));
  for (const filter of [`i eq 5 and ${bad}`, `i eq 6 or ${bad}`, `${bad} and i eq 6`])
    assert.throws(() => meets(filter), { code: 'ValueInvalid' }, filter);
});

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
} & {
  readonly [K in 'eq' | 'ne' | 'gt' | 'le' | 'in' | 'startsWith' | 'and' | 'or' | 'like' | 'equals']: (
    value: unknown,
  ) => Untyped;
};

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

  test('with what is no value of the property are refused by its name', () => {
    const { id, shop, total } = fieldsOf(Order) as unknown as Untyped;
    for (const value of [undefined, null, {}])
      for (const operator of ['eq', 'ne', 'gt', 'le'] as const)
        for (const [field, reason] of [
          [id, /The property id should be Int32/],
          [shop, /The property shop should be String/],
          [total, /The property total should be Double/],
        ] as const)
          assert.throws(() => field[operator](value), reason);
    for (const field of [id, shop]) assert.throws(() => field.startsWith(undefined), /should be/);
    for (const property of [t.guid(), t.int32(), t.instant()])
      assert.throws(
        () => plainField('id', property).startsWith('c9'),
        /The property id should be a String: it is (Guid|Int32|DateTime)/,
      );
    assert.throws(() => id.in([1, undefined]), /The property id should be Int32/);
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
