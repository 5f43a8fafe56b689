// Reading Linux's reports about processors.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  allowedProcessors,
  parseAllowed,
  parseProcessorTime,
  readProcessorTime,
  stolenShare,
} from './processors.js';

const STAT = `cpu  100 20 30 400 50 6 7 87 90 10
cpu0 50 10 15 200 25 3 3 40 45 5
intr 12345 0 9
`;

test('processors that a process may run on', () => {
  const status = (list: string) => `Cpus_allowed:\t3\nCpus_allowed_list:\t${list}\nMems_allowed:\t1\n`;
  assert.deepEqual(parseAllowed(status('0-1')), [0, 1]);
  assert.deepEqual(parseAllowed(status('3')), [3]);
  assert.deepEqual(parseAllowed(status('0-2,5,8-9')), [0, 1, 2, 5, 8, 9]);
  assert.equal(parseAllowed('Name:\tnode\n'), undefined);
  assert.ok(allowedProcessors().length >= 1);
});

test('guests are part of user and nice, and do not count twice', () => {
  assert.deepEqual(parseProcessorTime(STAT), { stolen: 87, total: 700 });
});

test('a system that reports no steal time gives none', () => {
  assert.equal(parseProcessorTime('cpu  100 20 30 400 50 6 7\n'), undefined);
  assert.equal(parseProcessorTime('cpu0 100 20 30 400 50 6 7 8\n'), undefined);
  assert.equal(parseProcessorTime('cpu  a b c d e f g 8\n'), undefined);
  assert.equal(parseProcessorTime(''), undefined);
});

test('steal time is a share of what passed between two readings', () => {
  const at = (stolen: number, total: number) => ({ stolen, total });
  assert.equal(stolenShare(at(10, 1000), at(35, 1100)), 0.25);
  assert.equal(stolenShare(at(10, 1000), at(10, 1100)), 0);
  assert.equal(stolenShare(at(10, 1000), at(10, 1000)), undefined);
  assert.equal(stolenShare(undefined, at(10, 1000)), undefined);
  assert.equal(stolenShare(at(10, 1000), undefined), undefined);
});

test('this system', { skip: process.platform === 'linux' ? false : 'not Linux' }, () => {
  const time = readProcessorTime();
  assert.ok(time !== undefined && time.total > 0 && time.stolen >= 0 && time.stolen <= time.total);
});
