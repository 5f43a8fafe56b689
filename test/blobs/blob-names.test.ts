// Names of logs, and how many of them a list by the hour must find.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALL_PREFIX, blobsOfHour, HOUR_PREFIX, logName } from './blob-names.js';

test('names are all different, in order, and below the prefix', () => {
  const names = Array.from({ length: 30_000 }, (_, number) => logName(number, 30_000));
  assert.deepEqual(names, [...new Set(names)].sort());
  assert.ok(names.every(name => name.startsWith(ALL_PREFIX)));
  assert.equal(names[0], 'queue/2014/01/01/0000/000000.log');
});

test('the hour that is listed has its share of them', () => {
  assert.equal(blobsOfHour(10_000), 1);
  assert.equal(blobsOfHour(30_000), 3);
  const [first] = Array.from({ length: 30_000 }, (_, number) => logName(number, 30_000)).filter(name =>
    name.startsWith(HOUR_PREFIX),
  );
  assert.equal(first, 'queue/2014/07/31/1800/015246.log');
});
