// When the collector of young garbage runs: by the bytes of all streams together.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COLLECTED_EVERY_BYTES, collectYoungBy, noteStreamed } from './streamed-bytes.js';

test('the collector runs once per threshold, and never without one', () => {
  noteStreamed(10 * COLLECTED_EVERY_BYTES);
  let calls = 0;
  collectYoungBy(() => {
    calls += 1;
  });
  noteStreamed(COLLECTED_EVERY_BYTES - 1);
  assert.equal(calls, 0);
  noteStreamed(1);
  assert.equal(calls, 1);
  for (let at = 0; at < 3 * COLLECTED_EVERY_BYTES; at += 65_536) noteStreamed(65_536);
  assert.equal(calls, 4);
  collectYoungBy(() => undefined);
});
