// Merges the metrics of several processes: one family for each name, one sample for each text of labels.
import type { MetricFamily, Sample } from './metric-family.js';

const AGGREGATES: Readonly<Record<MetricFamily['aggregate'], (a: number, b: number) => number>> = {
  sum: (a, b) => a + b,
  max: Math.max,
  min: Math.min,
};

function mergeSamples(a: MetricFamily, b: MetricFamily): readonly Sample[] {
  const samples = new Map<string, Sample>();
  for (const sample of [...a.samples, ...b.samples]) {
    const key = `${sample.suffix}{${sample.labels}}`;
    const known = samples.get(key);
    const value = known ? AGGREGATES[a.aggregate](known.value, sample.value) : sample.value;
    samples.set(key, { ...sample, value });
  }
  return [...samples.values()];
}

/** In the order in which names and labels are seen first. */
export function mergeMetrics(processes: readonly (readonly MetricFamily[])[]): readonly MetricFamily[] {
  const families = new Map<string, MetricFamily>();
  for (const family of processes.flat()) {
    const known = families.get(family.name);
    families.set(family.name, known ? { ...known, samples: mergeSamples(known, family) } : family);
  }
  return [...families.values()];
}

/** The metrics of a process that outlast it: counters and histograms. Its gauges end with it. */
export const lastingMetrics = (families: readonly MetricFamily[]): readonly MetricFamily[] =>
  families.filter(({ type }) => type !== 'gauge');
