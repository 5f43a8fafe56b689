// Properties that a program declares: enums by their texts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
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
