// What several processes that serve as one tell of themselves: the primary's own numbers and the sum of the workers'.
import {
  counter,
  gauge,
  type MetricFamily,
  mergeMetrics,
  type OperationsView,
  processFamilies,
} from '#server';
import type { Primary } from './primary.js';

export class TogetherView implements OperationsView {
  /** None before the port is known; another where that was taken. */
  primary: Primary | undefined;

  async unreadiness(): Promise<string | undefined> {
    return this.primary === undefined ? 'starting' : (await this.primary.figures()).unreadiness;
  }

  async families(): Promise<readonly MetricFamily[]> {
    const figures = await this.primary?.figures();
    const isReady = figures !== undefined && figures.unreadiness === undefined;
    const ready = { name: 'shelfmark_ready', help: '1 where /readyz says ok, else 0.' };
    const workers = { name: 'shelfmark_workers', help: 'Processes that answer requests.' };
    const restarts = { name: 'shelfmark_worker_restarts_total', help: 'Workers that were replaced.' };
    return [
      gauge(ready, isReady ? 1 : 0),
      gauge(workers, figures?.workers ?? 0),
      counter(restarts, figures?.restarts ?? 0),
      ...mergeMetrics([
        (figures?.families ?? []).filter(({ name }) => name !== ready.name),
        processFamilies(),
      ]),
    ];
  }
}
