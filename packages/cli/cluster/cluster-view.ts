// The health and metrics of a cluster: the primary's own metrics and the sum of the workers'.
import type { MetricFamily, OperationsView } from '#server';
import { counter, gauge, mergeMetrics, processFamilies } from '#server/parts';
import type { Primary } from './primary.js';

export class ClusterView implements OperationsView {
  /** Undefined until the ports are chosen; replaced where a port was taken. */
  primary: Primary | undefined;

  async unreadiness(): Promise<string | undefined> {
    return this.primary === undefined ? 'starting' : (await this.primary.metrics()).unreadiness;
  }

  async families(): Promise<readonly MetricFamily[]> {
    const metrics = await this.primary?.metrics();
    const isReady = metrics !== undefined && metrics.unreadiness === undefined;
    const ready = { name: 'shelfmark_ready', help: '1 where /readyz says ok, else 0.' };
    const workers = { name: 'shelfmark_workers', help: 'Processes that answer requests.' };
    const restarts = { name: 'shelfmark_worker_restarts_total', help: 'Workers that were replaced.' };
    return [
      gauge(ready, isReady ? 1 : 0),
      gauge(workers, metrics?.workers ?? 0),
      counter(restarts, metrics?.restarts ?? 0),
      ...mergeMetrics([
        (metrics?.families ?? []).filter(({ name }) => name !== ready.name),
        processFamilies(),
      ]),
    ];
  }
}
