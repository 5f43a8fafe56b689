// The search itself, on histories of one register whose verdicts are known: a judge that accepts everything would prove nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { below, from, several } from '../../random/arbitrary.js';
import { type Invocation, linearize, type Model } from './linearize.js';

type Question = readonly [kind: 'set' | 'get', value: number];

const REGISTER: Model<number, Question> = {
  initial: 0,
  key: String,
  twin: ([kind, value]) => (kind === 'set' ? String(value) : undefined),
  apply: (held, [kind, value]) => (kind === 'set' ? [value] : held === value ? [held] : []),
};

const at = (
  step: number,
  [invoked, answered]: readonly [number, number],
  question: Question,
  required = true,
): Invocation<Question> => ({ step, invoked, answered, required, question });

const verdict = (...calls: Invocation<Question>[]): number | undefined => linearize(calls, REGISTER)?.step;

test('one call after the other has one order', () => {
  assert.equal(verdict(at(1, [1, 2], ['set', 1]), at(2, [3, 4], ['get', 1])), undefined);
  assert.equal(verdict(at(1, [1, 2], ['set', 1]), at(2, [3, 4], ['get', 0])), 2);
});

/** Every order of the calls, tried one after the other; those with unknown outcomes may be left out. */
function hasOrder(calls: readonly Invocation<Question>[], state: number): boolean {
  if (calls.length === 0) return true;
  return calls.some(call => {
    const others = calls.filter(other => other !== call);
    if (!call.required && hasOrder(others, state)) return true;
    if (others.some(other => other.answered < call.invoked)) return false;
    return REGISTER.apply(state, call.question).some(next => hasOrder(others, next));
  });
}

const CALLS = 6;
const asked = fc.tuple(fc.tuple(from(['set', 'get']), below(3)), fc.boolean());

test('agrees with trying every order, on random histories', () => {
  const counts = { yes: 0, no: 0 };
  const times = fc.shuffledSubarray(
    Array.from({ length: 2 * CALLS }, (_, time) => time),
    { minLength: 2 * CALLS },
  );
  const agrees = fc.property(times, several(asked, CALLS, CALLS), (order, all) => {
    const calls = all.map(([question, isKnown], i): Invocation<Question> => {
      const pair = order.slice(2 * i, 2 * i + 2);
      return at(i, [Math.min(...pair), Math.max(...pair)], question, isKnown || question[0] === 'get');
    });
    const expected = hasOrder(calls, 0);
    counts[expected ? 'yes' : 'no'] += 1;
    assert.equal(linearize(calls, REGISTER) === undefined, expected);
  });
  fc.assert(agrees, { numRuns: 2000 });
  assert.ok(counts.yes > 100 && counts.no > 100, JSON.stringify(counts));
});

test('many calls with unknown outcomes and the same effect have few explanations', () => {
  const lost = Array.from({ length: 40 }, (_, i) => at(i, [i, Number.POSITIVE_INFINITY], ['set', 1], false));
  const gets = [0, 1, 1, 2].map((value, i) => at(50 + i, [50 + 2 * i, 51 + 2 * i], ['get', value]));
  assert.equal(verdict(...lost, ...gets), 53);
});
