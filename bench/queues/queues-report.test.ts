// The verdicts on the measurements of the Queue service, at the goals and on both sides of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queuesReport } from './queues-report.js';

const LATENCY = { p50: 1, p99: 2, p999: 3, max: 4 };
const STEPS = { put: LATENCY, get: LATENCY, delete: LATENCY };

const rate = (subject: string, work: 'insert' | 'put' | 'take', perSecond: number) =>
  ({ subject, work, perSecond, p50: 1, p99: 2 }) as const;

const depth = (messages: number, cyclesPerSecond: number, get: number) =>
  ({ subject: 'shelfmark', depth: messages, cyclesPerSecond, p50: { put: 1, get, delete: 1 } }) as const;

const reportOf = (put: number, take: number, get: number): string =>
  queuesReport({
    rates: [
      rate('shelfmark', 'insert', 1000),
      rate('shelfmark', 'put', put),
      rate('shelfmark', 'take', take),
    ],
    depths: [depth(100, 500, 1), depth(10_000, 500, get)],
    reclaiming: { messages: 10, seconds: 1, before: STEPS, meanwhile: STEPS },
  });

test('goals are relative to the rate of inserts, and to the shortest queue', () => {
  const held = reportOf(700, 350, 1.3);
  assert.doesNotMatch(held, /MISSED/);
  assert.equal(held.match(/holds/g)?.length, 3);
});

test('a missed goal is reported', () => {
  assert.match(reportOf(699, 350, 1), /^put .*MISSED$/m);
  assert.match(reportOf(700, 349, 1), /^get \+ delete .*MISSED$/m);
  assert.match(reportOf(700, 350, 1.31), /^10,000 .*1\.31 x .*MISSED$/m);
});
