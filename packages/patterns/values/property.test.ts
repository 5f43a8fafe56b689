// Properties that a program declares: enums by their texts, defaults, and third-party validators as the schema of JSON and as a check.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { entity, Instant, key, type Of, t } from '../index.js';
import { decodeEntity, encodeEntity, readRow, wireText } from '../internals.js';
import { refuses, refusesDefinition } from '../testing/refuses.js';

const Ticket = entity('Ticket', {
  version: 1,
  table: 'Tickets',
  props: {
    number: t.int32(),
    kind: t.oneOf('bug', 'wish'),
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
  kind: 'bug',
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
  // @ts-expect-error: it is none of them.
  const kind: Of<typeof Ticket>['kind'] = 'ajar';
  for (const [change, reason] of [
    [{ kind }, /"bug", "wish"/],
    [{ state: 'ajar' }, /expected one of "open"\|"shut"/],
    [{ mail: 'x' }, /Invalid email/],
    [{ home: { street: 1 } }, /street: Invalid input: expected string, received number; since/],
  ] as const)
    refuses(() => encodeEntity(Ticket, { ...ticket, ...(change as object) }), 'ValueInvalid', reason);
  const oneOf: (...values: string[]) => unknown = t.oneOf as never;
  refusesDefinition(() => oneOf(), /it has no values/);
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
