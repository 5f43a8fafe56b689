// Metrics of commits.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommitCounts } from './commit-counts.js';

test('counts: commits with the writes that shared them, and what went otherwise', () => {
  const counts = new CommitCounts();
  counts.done(1, 20);
  counts.done(30, 40);
  counts.conflict();
  counts.unclear();
  counts.unclear();
  counts.failed();
  const found = Object.fromEntries(
    counts.statistics().map(one => [one.name, one.kind === 'histogram' ? one.counts.sum : one.value]),
  );
  assert.deepEqual(found, {
    commits_total: 2,
    commit_failures_total: 1,
    cassandra_commit_conflicts_total: 1,
    cassandra_unclear_commits_total: 2,
    commit_writes: 31,
    commit_seconds: 0.06,
  });
});
