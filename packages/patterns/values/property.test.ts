// Properties that a program declares: enums by their texts, and defaults.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { entity, Instant, key, type Of, PatternError, t } from '../index.js';
import { encodeEntity } from '../internals.js';

const Ticket = entity('Ticket', {
  version: 1,
  table: 'Tickets',
  props: { number: t.int32(), state: t.oneOf('open', 'shut') },
  partition: key('tickets'),
  row: p => key(p.number),
});

test('one of some texts is their union for the compiler, and checked at run time', () => {
  const open: Of<typeof Ticket> = { number: 1, state: 'open' };
  assert.equal(encodeEntity(Ticket, open).value.state, 'open');
  // @ts-expect-error: it is none of them.
  const ajar: Of<typeof Ticket> = { number: 1, state: 'ajar' };
  assert.throws(
    () => encodeEntity(Ticket, ajar),
    (thrown: unknown) => PatternError.is(thrown, 'ValueInvalid') && /"open", "shut"/.test(thrown.message),
  );
});

test('one of no texts is refused', () => {
  const oneOf: (...values: string[]) => unknown = t.oneOf as never;
  assert.throws(
    () => oneOf(),
    (thrown: unknown) => PatternError.is(thrown, 'DefinitionInvalid'),
  );
});

test('the time of this computer is that of Date', () => {
  const before = Date.now();
  const now = Instant.now().toDate().getTime();
  assert(before <= now && now <= Date.now());
});

test('a default inside JSON is a copy, and what is no plain object stays as it is', () => {
  const [at, bytes] = [Instant.parse('2026-01-01T00:00:00Z'), Buffer.from([1])];
  const value = { at, list: [{ n: 1 }], bare: Object.assign(Object.create(null), { n: 2 }), bytes };
  const { filling } = t.json(z.any()).default(value);
  assert(filling?.kind === 'default');
  const given = filling.give() as typeof value;
  assert.equal(given.at, at);
  assert.deepEqual(given.bytes, new Uint8Array([1]));
  given.list[0] = { n: 5 };
  given.bare.n = 5;
  given.bytes[0] = 5;
  assert.deepEqual([value.list, { ...value.bare }, [...bytes]], [[{ n: 1 }], { n: 2 }, [1]]);
});
