// A third-party validator, as the schema of JSON and as a check: its types are inferred, its refusals are reported, and it must answer synchronously.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { entity, key, type Of, PatternError, t } from '../index.js';
import { decodeEntity, encodeEntity, readRow, wireText } from '../internals.js';

const Ticket = entity('Ticket', {
  version: 1,
  table: 'Tickets',
  props: {
    number: t.int32(),
    state: t.string().check(z.enum(['open', 'shut'])),
    mail: t.string().check(z.email()).optional(),
    home: t.json(
      z.object({ street: z.string(), since: z.coerce.date(), floors: z.number().array().default([]) }),
    ),
  },
  partition: p => key(p.state),
  row: p => key(p.number),
});
const ticket: Of<typeof Ticket> = {
  number: 1,
  state: 'open',
  home: { street: 'Elm', since: new Date(0), floors: [1] },
};

test('values are of the types that the schema gives, and come back as such', () => {
  const state: 'open' | 'shut' = ticket.state;
  const since: Date = ticket.home.since;
  assert.deepEqual([state, since.getTime()], ['open', 0]);
  const { value } = decodeEntity(Ticket, readRow(wireText(encodeEntity(Ticket, ticket))));
  assert.deepEqual(value, ticket);
});

test('what the schema does not accept is told with its words', () => {
  const refused = (change: object, reason: RegExp): void =>
    assert.throws(
      () => encodeEntity(Ticket, { ...ticket, ...change }),
      (thrown: unknown) => PatternError.is(thrown, 'ValueInvalid') && reason.test(thrown.detail.reason),
    );
  refused({ state: 'ajar' }, /expected one of "open"\|"shut"/);
  refused({ mail: 'x' }, /Invalid email/);
  refused({ home: { street: 1 } }, /street: Invalid input: expected string, received number; since/);
});

test('a schema that answers by a promise is refused', () => {
  const Late = entity('Late', {
    version: 1,
    table: 'Late',
    props: { a: t.string().check(z.string().refine(async () => true)) },
    partition: key('p'),
    row: key('r'),
  });
  assert.throws(() => encodeEntity(Late, { a: 'x' }), /not at once/);
});
