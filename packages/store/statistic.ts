// Shorthands for metrics, and those of an engine's commits.
import type { CommitCounts, HistogramCounts } from '#base';
import type { Statistic } from './engine.js';

export const counter = (name: string, value: number, help: string): Statistic => {
  return { kind: 'counter', name, help, value };
};
export const gauge = (name: string, value: number, help: string, aggregate?: 'max' | 'min'): Statistic => {
  return { kind: 'gauge', name, help, value, ...(aggregate && { aggregate }) };
};
const histogram = (name: string, counts: HistogramCounts, help: string): Statistic => {
  return { kind: 'histogram', name, help, counts };
};

/** `time` says what the time of a commit is. */
export function commitStatistics({ writes, seconds, failures }: CommitCounts, time: string): Statistic[] {
  const counts = writes.counts();
  const commits = counts.counts.reduce((sum, count) => sum + count, 0);
  return [
    counter('commits_total', commits, 'Commits that became durable.'),
    counter('commit_failures_total', failures, 'Commits that failed.'),
    histogram('commit_writes', counts, 'Writes that shared a commit.'),
    histogram('commit_seconds', seconds.counts(), time),
  ];
}
