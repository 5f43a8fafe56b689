// One of the numbers that a store reports about itself.
import assert from 'node:assert/strict';
import type { HistogramCounts } from '#base';
import type { Engine, Statistic } from '#store';

const statisticOf = (store: Engine, name: string): Statistic =>
  store.statistics().find(each => each.name === name) ?? assert.fail(`There is no ${name}.`);

export function numberOf(store: Engine, name: string): number {
  const statistic = statisticOf(store, name);
  return statistic.kind === 'histogram' ? assert.fail(`${name} is a histogram.`) : statistic.value;
}

export function countsOf(store: Engine, name: string): HistogramCounts {
  const statistic = statisticOf(store, name);
  return statistic.kind === 'histogram' ? statistic.counts : assert.fail(`${name} is not a histogram.`);
}
