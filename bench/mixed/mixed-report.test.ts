// The mixed load's report: all requests, undisturbed ones, and the machine.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Machine } from '../machine/machine-watch.js';
import type { Phase } from './mixed.js';
import { machineText, mixedReport } from './mixed-report.js';

const latency = (p999: number) => ({ p50: 1, p99: 2, p999, max: p999 + 1 });
const WATCHED = { isPinned: true, priority: 'real-time', cost: 0.0123, lost: undefined } as const;
const MACHINE: Machine = {
  sentinels: [WATCHED, { ...WATCHED, cost: 0.01 }],
  pauses: 37,
  longest: 34.56,
  share: 0.0121,
  stolen: 0.031,
  thieving: 0.125,
};
const ALL: Phase = {
  name: 'mixed load',
  perSecond: 1234,
  latency: latency(53),
  latencyOf: { range: latency(26) },
  memory: [1e8, 2e8, 1e8],
  verdict: { goal: '<= 20 ms', value: 53, holds: false },
  machine: MACHINE,
};

const report = (phase: Phase): string =>
  mixedReport({
    rows: 2000,
    alone: { sync: latency(8), timer: latency(3) },
    peak: undefined,
    phases: [phase],
  });

test('all requests and the undisturbed ones, each with its verdict', () => {
  const verdict = { goal: '<= 20 ms', value: 9, holds: true };
  const text = report({
    ...ALL,
    undisturbed: { share: 0.9312, latency: latency(9), latencyOf: { range: latency(7) }, verdict },
  });
  assert.match(text, /^mixed load +1,234 +1 +2 +53 +54 +<= 20 ms +MISSED /m);
  assert.match(text, /^ {2}range +1 +2 +26 +27$/m);
  assert.match(text, /^ {2}undisturbed: 93\.12 % +1 +2 +9 +10 +<= 20 ms +holds$/m);
  assert.match(text, /^ {4}range +1 +2 +7 +8$/m);
});

test('with no undisturbed request there is no verdict', () => {
  const text = report({
    ...ALL,
    undisturbed: { share: 0, latency: undefined, latencyOf: {}, verdict: undefined },
  });
  assert.match(text, /^ {2}undisturbed: 0\.00 % +- +- +- +-$/m);
});

test('the machine', () => {
  assert.match(report(ALL), /^the machine, mixed load: 37 pauses, /m);
  assert.equal(
    machineText(MACHINE),
    '37 pauses, the longest 34.6 ms, 1.21 % of the time; 3.10 % steal time, in 12.50 % of the time ' +
      '(2 sentinels, real-time and pinned; at most 1.23 % of a processor each)',
  );
});

test('lost sentinels, and a system that reports nothing', () => {
  const lost = { isPinned: false, priority: 'normal', cost: undefined, lost: 'ended with SIGKILL' } as const;
  assert.equal(
    machineText({ ...MACHINE, pauses: 1, stolen: undefined, sentinels: [WATCHED, lost] }),
    '1 pause, the longest 34.6 ms, 1.21 % of the time; steal time unknown (1 sentinel, real-time and pinned; ' +
      '1 sentinel, at normal priority and not pinned, lost (ended with SIGKILL); ' +
      'without real-time priority the load itself can be what delays them; at most 1.23 % of a processor each)',
  );
  const nobody = { ...MACHINE, sentinels: [lost, lost] };
  assert.match(machineText(nobody), /^nobody watched to the end: 37 pauses.*\(2 sentinels, .*SIGKILL\)/);
  assert.doesNotMatch(report({ ...ALL, machine: nobody }), /undisturbed/);
});
