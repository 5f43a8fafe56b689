// The judge of a history: it detects every kind of loss, and accepts every permitted state.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Found, faultsOf, History, THE_END } from './history.js';

type Rows = Readonly<Record<string, readonly [text: string, tick: bigint]>>;

const found = (rows: Rows): Found =>
  new Map(Object.entries(rows).map(([path, [text, tick]]) => [path, { text, tick }]));

/** Two rows were created; one of them was changed, the other removed while a third was created; the last step has no answer. */
function history(): History {
  const made = new History('writer');
  const write = (
    changes: Readonly<Record<string, string | undefined>>,
    at: number,
    ticks?: Record<string, bigint>,
  ) => {
    const images = Object.entries(changes).map(
      ([path, text]) => [path, text === undefined ? undefined : { text, tick: undefined }] as const,
    );
    made.ask(new Map(images), at);
    if (ticks !== undefined) made.acknowledge(new Map(Object.entries(ticks)), at + 1);
  };
  write({ a: 'a1', b: 'b1' }, 0, { a: 1n, b: 1n });
  write({ a: 'a2' }, 2, { a: 2n });
  write({ b: undefined, c: 'c1' }, 4);
  return made;
}

const faults = (rows: Rows, moment = THE_END): number => faultsOf([history()], found(rows), moment).length;

test('a step without an answer is there whole or not at all', () => {
  assert.equal(faults({ a: ['a2', 2n], b: ['b1', 1n] }), 0);
  assert.equal(faults({ a: ['a2', 2n], c: ['c1', 3n] }), 0);
  assert.equal(faults({ a: ['a2', 2n] }), 1, 'half');
  assert.equal(faults({ a: ['a2', 2n], b: ['b1', 1n], c: ['c1', 3n] }), 1, 'the other half');
  assert.equal(faults({ a: ['a2', 2n], c: ['c1', 2n] }), 1, 'with a tick that was given before');
});

test('nothing acknowledged is lost, comes back or changes', () => {
  assert.equal(faults({}), 1);
  assert.equal(faults({ a: ['a1', 1n], b: ['b1', 1n] }), 1, 'the second step is lost');
  assert.equal(faults({ a: ['a2', 2n] }), 1, 'a row is lost');
  assert.equal(faults({ a: ['a2', 3n], b: ['b1', 1n] }), 1, 'another ETag');
  assert.equal(faults({ a: ['a2', 2n], b: ['b2', 1n] }), 1, 'another value');
  assert.equal(faults({ a: ['a2', 2n], b: ['b1', 1n], d: ['d', 3n] }), 1, 'a row that nobody wrote');
});

test('of an earlier moment only what was acknowledged by then must be there, and nothing requested later may be', () => {
  const moment = { answeredBy: 1, askedBy: 3 };
  assert.equal(faults({ a: ['a1', 1n], b: ['b1', 1n] }, moment), 0);
  assert.equal(faults({ a: ['a2', 2n], b: ['b1', 1n] }, moment), 0);
  assert.equal(faults({ a: ['a2', 2n], c: ['c1', 3n] }, moment), 1);
  assert.equal(faults({}, moment), 1);
  assert.equal(faults({}, { answeredBy: 0, askedBy: 1 }), 0);
});

test('the found state is where the next history begins', () => {
  const next = history();
  next.settle(found({ a: ['a2', 2n], c: ['c1', 3n] }));
  assert.deepEqual(faultsOf([next], found({ a: ['a2', 2n], c: ['c1', 3n] }), THE_END), []);
  assert.equal(faultsOf([next], found({ a: ['a2', 2n], b: ['b1', 1n] }), THE_END).length, 2);
  next.ask(new Map([['a', undefined]]), 9);
  next.forget();
  assert.equal(next.state().size, 2);
});
