// Metric families as values, in Prometheus' model: numbers under one name. They are made on demand,
// can be sent between processes as JSON, be merged, and be written in Prometheus' text format.
import type { HistogramCounts } from '#base';

export interface Sample {
  /** What follows the family's name: nothing, or `_bucket`, `_sum` and `_count` of a histogram. */
  readonly suffix: string;
  /** `name="value",…`, as it is written; empty for none. */
  readonly labels: string;
  readonly value: number;
}

export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** How to aggregate the numbers of several processes. */
  readonly aggregate: 'sum' | 'max' | 'min';
  readonly samples: readonly Sample[];
}

const single = (value: number): readonly Sample[] => [{ suffix: '', labels: '', value }];

export const counter = (name: string, help: string, samples: readonly Sample[] | number): MetricFamily => ({
  name,
  help,
  type: 'counter',
  aggregate: 'sum',
  samples: typeof samples === 'number' ? single(samples) : samples,
});

export const gauge = (
  name: string,
  help: string,
  value: number,
  aggregate: MetricFamily['aggregate'] = 'sum',
): MetricFamily => ({ name, help, type: 'gauge', aggregate, samples: single(value) });

/** A histogram for each text of labels. */
export const histogram = (
  name: string,
  help: string,
  series: readonly (readonly [labels: string, counts: HistogramCounts])[],
): MetricFamily => ({
  name,
  help,
  type: 'histogram',
  aggregate: 'sum',
  samples: series.flatMap(([labels, counts]) => histogramSamples(labels, counts)),
});

/** In Prometheus' form a bucket also holds what the smaller ones hold. */
function histogramSamples(labels: string, { bounds, counts, sum }: HistogramCounts): Sample[] {
  const before = labels === '' ? '' : `${labels},`;
  const samples: Sample[] = [];
  let total = 0;
  for (const [i, count] of counts.entries()) {
    total += count;
    const bound = bounds[i] ?? '+Inf';
    samples.push({ suffix: '_bucket', labels: `${before}le="${bound}"`, value: total });
  }
  samples.push({ suffix: '_sum', labels, value: sum }, { suffix: '_count', labels, value: total });
  return samples;
}

/** `name="value"`; values are ours or numbers, and are written so that none can end its line. */
export const label = (name: string, value: string | number): string =>
  `${name}="${String(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;

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

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

function formatValue(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);
}

function formatFamily({ name, help, type, samples }: MetricFamily): string {
  const lines = samples.map(
    ({ suffix, labels, value }) =>
      `${name}${suffix}${labels === '' ? '' : `{${labels}}`} ${formatValue(value)}\n`,
  );
  const escaped = help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  return `# HELP ${name} ${escaped}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

export const formatMetrics = (families: readonly MetricFamily[]): string =>
  families.map(formatFamily).join('');
