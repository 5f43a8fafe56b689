// The limits on the command line: accepted and refused values, and their result.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from 'commander';
import { addLimitOptions, limitsOf } from './limit-options.js';

const parse = (...args: readonly string[]) =>
  limitsOf(
    addLimitOptions(new Command('serve').exitOverride().configureOutput({ writeErr: () => undefined }))
      .parse([...args], { from: 'user' })
      .opts(),
  );

test('numbers become limits, and missing options keep the server’s defaults', () => {
  assert.deepEqual(parse(), {
    connectionsMax: undefined,
    waitingWritesMax: undefined,
    bufferedBytesMax: undefined,
    drainMilliseconds: undefined,
  });
  const given = ['--max-connections', '7', '--max-waiting-writes', '8', '--max-request-megabytes', '9'];
  assert.deepEqual(parse(...given, '--drain-seconds', '0'), {
    connectionsMax: 7,
    waitingWritesMax: 8,
    bufferedBytesMax: 9 * 1_048_576,
    drainMilliseconds: 0,
  });
});

test('the minimum and the maximum of each are accepted, and nothing beyond', () => {
  for (const [flag, least, most] of [
    ['--max-connections', 1, 1_000_000],
    ['--max-waiting-writes', 1, 1_000_000],
    ['--max-request-megabytes', 8, 1_000_000],
    ['--drain-seconds', 0, 3_600],
  ] as const) {
    for (const taken of [least, least + 1, most - 1, most]) parse(flag, String(taken));
    for (const refused of [least - 1, most + 1, 'x', '1.5', ''])
      assert.throws(() => parse(`${flag}=${refused}`), /A number from/, `${flag} ${refused}`);
  }
});
