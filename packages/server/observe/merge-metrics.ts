// Puts the numbers of several processes together: one family for each name, one sample for each text of labels.
import type { MetricFamily, Sample } from './metric-family.js';

const TOGETHER: Readonly<Record<MetricFamily['together'], (a: number, b: number) => number>> = {
  sum: (a, b) => a + b,
  most: Math.max,
  least: Math.min,
};

function mergeSamples(a: MetricFamily, b: MetricFamily): readonly Sample[] {
  const samples = new Map<string, Sample>();
  for (const sample of [...a.samples, ...b.samples]) {
    const key = `${sample.suffix}{${sample.labels}}`;
    const known = samples.get(key);
    const value = known ? TOGETHER[a.together](known.value, sample.value) : sample.value;
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

/** What stays of a process that ended: what it counted. What it held is gone with it. */
export const lastingMetrics = (families: readonly MetricFamily[]): readonly MetricFamily[] =>
  families.filter(({ type }) => type !== 'gauge');
