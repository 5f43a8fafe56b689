// Every suite's filters name tests that exist: a moved file must not fail a suite that nobody has run since.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testFiles } from '../test-files.js';
import { SUITES } from './suites.js';

const RUNNER = 'dist/tools/run-tests.js';

test('each filter of a suite matches a test', () => {
  const filters = SUITES.flatMap(({ steps }) =>
    steps.flatMap(({ command }) => {
      const at = command.indexOf(RUNNER);
      return at < 0 ? [] : command.slice(at + 1);
    }),
  ).filter((filter, index, all) => !filter.startsWith('--') && !all[index - 1]?.startsWith('--'));
  assert(filters.length > 40);
  for (const filter of filters) assert(testFiles([filter], true).length > 0, filter);
});
