// The limits as the command line gives them: what is taken, what is refused, and what it comes to.
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

test('numbers become limits, and what is not given is left to the server', () => {
  assert.deepEqual(parse(), {
    connectionsMax: undefined,
    waitingWritesMax: undefined,
    heldBytesMax: undefined,
    drainMilliseconds: undefined,
  });
  const given = ['--max-connections', '7', '--max-waiting-writes', '8', '--max-request-megabytes', '9'];
  assert.deepEqual(parse(...given, '--drain-seconds', '0'), {
    connectionsMax: 7,
    waitingWritesMax: 8,
    heldBytesMax: 9 * 1_048_576,
    drainMilliseconds: 0,
  });
});

test('the least and the most of each, and nothing beyond', () => {
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
