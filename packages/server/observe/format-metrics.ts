// Writes families as Prometheus reads them: its text format 0.0.4.
import type { MetricFamily } from './metric-family.js';

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
