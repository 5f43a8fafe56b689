// The judge of queues: it detects lost and duplicated messages of every kind, and accepts every permitted history. The histories here are
// sequential, with one call a second.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type QueueAnswer, type QueueCall, type QueueHappening, SECOND, type Shown } from './call.js';
import { queueFaults } from './judge.js';

const START = 15_778_368_000_000_000n;
const NEVER = 2_534_023_007_990_000_000n;
const queue = 'jobs';

interface Told {
  readonly second: number;
  readonly call: QueueCall;
  /** Undefined where it was lost. */
  readonly answer: QueueAnswer | undefined;
}

const NOTHING: QueueAnswer = {
  status: 200,
  code: undefined,
  messages: [],
  receipt: undefined,
  visible: undefined,
};
const at = (second: number): bigint => START + BigInt(second) * SECOND;
const shown = (name: string, more: Partial<Shown>): Shown => ({
  id: `id of ${name}`,
  inserted: at(0),
  expires: NEVER,
  visible: undefined,
  receipt: undefined,
  dequeueCount: undefined,
  text: undefined,
  ...more,
});

const made: Told = { second: 0, call: { kind: 'createQueue', queue }, answer: { ...NOTHING, status: 201 } };
const lost = (told: Told): Told => ({ ...told, answer: undefined });
const refused = (told: Told, code: string): Told => ({ ...told, answer: { ...NOTHING, status: 400, code } });

/** Its receipt is `put`. */
function put(second: number, name: string, delay = 0): Told {
  const call = { kind: 'put', queue, text: `${name} text`, delay, life: undefined } as const;
  const more = { inserted: at(second), visible: at(second + delay), receipt: 'put' };
  return { second, call, answer: { ...NOTHING, status: 201, messages: [shown(name, more)] } };
}

/** Leases messages for ten seconds, with a receipt that names the time. */
function get(
  second: number,
  count: number,
  ...names: (readonly [name: string, times: number, put: number])[]
): Told {
  const messages = names.map(([name, dequeueCount, since]) => {
    const receipt = `got at ${second}`;
    return shown(name, {
      inserted: at(since),
      visible: at(second + 10),
      receipt,
      dequeueCount,
      text: `${name} text`,
    });
  });
  return { second, call: { kind: 'get', queue, count, seconds: 10 }, answer: { ...NOTHING, messages } };
}

const remove = (second: number, name: string, receipt: string): Told => ({
  second,
  call: { kind: 'delete', queue, id: `id of ${name}`, receipt },
  answer: { ...NOTHING, status: 204 },
});

const update = (second: number, name: string, receipt: string, seconds: number): Told => ({
  second,
  call: { kind: 'update', queue, id: `id of ${name}`, receipt, seconds, text: undefined },
  answer: { ...NOTHING, status: 204, receipt: `updated at ${second}`, visible: at(second + seconds) },
});

const clear = (second: number): Told => ({
  second,
  call: { kind: 'clear', queue },
  answer: { ...NOTHING, status: 204 },
});

function faults(...calls: Told[]): string[] {
  const history = [made, ...calls].map(
    ({ second, call, answer }, step): QueueHappening => ({
      step,
      invoked: 2 * step,
      answered: 2 * step + 1,
      span: { low: at(second), high: at(second) + SECOND / 2n },
      call,
      answer,
    }),
  );
  return queueFaults(history).map(({ step, message }) => `${step}: ${message}`);
}

const isFine = (...calls: Told[]): void => assert.deepEqual(faults(...calls), []);
const isWrong = (pattern: RegExp, ...calls: Told[]): void =>
  assert.match(faults(...calls).join('\n'), pattern);

test('a message is delivered, hidden, delivered again and deleted', () => {
  isFine(
    put(0, 'm1'),
    get(1, 5, ['m1', 1, 0]),
    get(2, 5),
    get(12, 5, ['m1', 2, 0]),
    remove(13, 'm1', 'got at 12'),
    get(30, 5),
  );
});

test('a message that is visible must be shown to who has room for it', () => {
  isWrong(/^2: .*m1/, put(0, 'm1'), get(1, 5));
  isWrong(/^3: .*m1/, put(0, 'm1'), get(1, 5, ['m1', 1, 0]), get(13, 5));
  isWrong(/^2: .*m1/, put(0, 'm1', 3), get(5, 5));
  isFine(put(0, 'm1', 3), get(2, 5));
});

test('nobody gets what somebody else holds', () => {
  isWrong(/^3: .*m1/, put(0, 'm1'), get(1, 5, ['m1', 1, 0]), get(9, 5, ['m1', 2, 0]));
  isFine(put(0, 'm1'), get(1, 5, ['m1', 1, 0]), get(11, 5, ['m1', 2, 0]));
  isWrong(/^2: .*m1/, put(0, 'm1', 5), get(1, 5, ['m1', 1, 0]));
});

test('what was deleted, or cleared, never comes back', () => {
  const held = [put(0, 'm1'), get(1, 5, ['m1', 1, 0])];
  isWrong(/^4: .*m1/, ...held, remove(2, 'm1', 'got at 1'), get(20, 5, ['m1', 2, 0]));
  isWrong(/^4: .*m1/, ...held, clear(2), get(20, 5, ['m1', 2, 0]));
  isFine(...held, clear(2), get(20, 5));
});

test('a receipt is good until the message is got or updated again, and no longer', () => {
  const again = [put(0, 'm1'), get(1, 5, ['m1', 1, 0]), get(20, 5, ['m1', 2, 0])];
  isWrong(/^4: .*m1/, ...again, remove(21, 'm1', 'got at 1'));
  isFine(...again, refused(remove(21, 'm1', 'got at 1'), 'PopReceiptMismatch'));
  isWrong(/^4: .*m1/, ...again, refused(remove(21, 'm1', 'got at 20'), 'PopReceiptMismatch'));
  isWrong(/^4: .*m1/, ...again, refused(remove(21, 'm1', 'got at 20'), 'MessageNotFound'));
  isFine(put(0, 'm1'), update(1, 'm1', 'put', 30), get(20, 5), remove(40, 'm1', 'updated at 1'));
  isWrong(/^3: .*m1/, put(0, 'm1'), update(1, 'm1', 'put', 30), remove(2, 'm1', 'put'));
});

test('what nobody knows happened or did not, but not both', () => {
  const held = [put(0, 'm1'), get(1, 5, ['m1', 1, 0]), lost(remove(2, 'm1', 'got at 1'))];
  isFine(...held, get(20, 5));
  isFine(...held, get(20, 5, ['m1', 2, 0]));
  isWrong(/^5: .*m1/, ...held, get(20, 5), get(40, 5, ['m1', 2, 0]));
  isFine(put(0, 'm1'), lost(get(1, 5)), get(3, 5), get(13, 5, ['m1', 2, 0]));
  isFine(put(0, 'm1'), lost(get(1, 5)), get(3, 5, ['m1', 1, 0]));
  isWrong(/^4: .*m1/, put(0, 'm1'), lost(get(1, 5)), get(3, 5), get(13, 5));
  isWrong(/^4: .*m1/, put(0, 'm1'), lost(get(1, 5)), get(3, 5), get(5, 5, ['m1', 1, 0]));
});

test('an unanswered put is there whole or not at all', () => {
  isFine(lost(put(0, 'm1')), get(1, 5));
  isFine(lost(put(0, 'm1')), get(1, 5, ['m1', 1, 0]));
  const whole = get(1, 5, ['m1', 1, 0]);
  const messages = whole.answer?.messages.map(message => ({ ...message, text: 'm1 te' })) ?? [];
  isWrong(/^2: .*m1/, lost(put(0, 'm1')), { ...whole, answer: { ...NOTHING, messages } });
  isWrong(/m2/, lost(put(0, 'm1')), get(1, 5, ['m2', 1, 0]));
});

test('the one that is visible longest comes first, and of one moment the one that was put first', () => {
  const both = [put(0, 'm1'), put(1, 'm2')];
  const [one, two] = [['m1', 1, 0] as const, ['m2', 1, 1] as const];
  isFine(...both, get(2, 2, one, two));
  isWrong(/m1 comes behind m2/, ...both, get(2, 2, two, one));
  isWrong(/m1 was passed by for m2/, ...both, get(2, 1, two));
  const again = [...both, get(2, 2, one, two)];
  isWrong(/m1 comes behind m2/, ...again, get(20, 2, ['m2', 2, 1], ['m1', 2, 0]));
  isFine(put(0, 'm1', 5), put(1, 'm2'), get(9, 2, two, one));
});

test('one message is one message', () => {
  const twin = get(1, 5, ['m1', 1, 0]);
  const messages = twin.answer?.messages.map(message => ({ ...message, id: 'another' })) ?? [];
  isWrong(/twice/, put(0, 'm1'), { ...twin, answer: { ...NOTHING, messages } });
  const doubled = twin.answer?.messages.flatMap(message => [message, message]) ?? [];
  isWrong(/twice/, put(0, 'm1'), { ...twin, answer: { ...NOTHING, messages: doubled } });
});
