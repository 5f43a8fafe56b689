// The statistics of an engine as metric families: under the server's name, whatever the engine.
import type { Statistic } from '#store';
import { counter, gauge, histogram, type MetricFamily } from './metric-family.js';

function familyOf(statistic: Statistic): MetricFamily {
  const named = { name: `shelfmark_${statistic.name}`, help: statistic.help };
  if (statistic.kind === 'histogram') return histogram(named, [['', statistic.counts]]);
  if (statistic.kind === 'counter') return counter(named, statistic.value);
  return gauge({ ...named, aggregate: statistic.aggregate ?? 'sum' }, statistic.value);
}

export const engineFamilies = (statistics: readonly Statistic[]): readonly MetricFamily[] =>
  statistics.map(familyOf);
