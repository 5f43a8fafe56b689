// The state of one server process: whether it is ready, and its metrics. It exists before the store and the port
// do, so that probes get an answer during startup.

import { performance } from 'node:perf_hooks';
import type { Listener } from '#http';
import type { Engine, Statistic } from '#store';
import { counter, gauge, histogram, type MetricFamily } from './metric-family.js';
import type { OperationsView } from './operations-port.js';
import type { RequestMetrics } from './request-metrics.js';

/** A part that has numbers of its own. */
interface Telling {
  families(): readonly MetricFamily[];
}

export class ProcessView implements OperationsView {
  readonly requests: RequestMetrics | undefined;
  #state: 'starting' | 'serving' | 'stopping' = 'starting';
  #listeners: readonly Listener[] = [];
  #engine: Engine | undefined;
  #forwarding: Telling | undefined;

  constructor(requests: RequestMetrics | undefined) {
    this.requests = requests;
  }

  /** Requests are accepted. */
  begin(listeners: readonly Listener[], engine: Engine, forwarding?: Telling): void {
    this.#state = 'serving';
    this.#listeners = listeners;
    this.#engine = engine;
    this.#forwarding = forwarding;
  }

  stop(): void {
    this.#state = 'stopping';
  }

  unreadiness(): string | undefined {
    if (this.#state !== 'serving') return this.#state;
    return this.#engine?.health();
  }

  families(): readonly MetricFamily[] {
    const ready = this.unreadiness() === undefined ? 1 : 0;
    const connections = this.#listeners.reduce((sum, each) => sum + each.connections, 0);
    return [
      gauge('shelfmark_ready', '1 where /readyz says ok, else 0.', ready, 'min'),
      gauge('shelfmark_connections', "Open connections of the services' ports.", connections),
      ...(this.requests?.families() ?? []),
      ...(this.#forwarding?.families() ?? []),
      ...this.#engineFamilies(),
      ...processFamilies(),
    ];
  }

  /** None while the store is being closed, or where its file is gone: the other metrics must still be reported. */
  #engineFamilies(): readonly MetricFamily[] {
    if (this.#engine === undefined || this.#state !== 'serving') return [];
    try {
      return this.#engine.statistics().map(familyOf);
    } catch {
      return [];
    }
  }
}

/** Of this process from the system and node, under the names that Prometheus' own clients use. */
export function processFamilies(): readonly MetricFamily[] {
  const { rss, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const { active } = performance.eventLoopUtilization();
  return [
    gauge('shelfmark_processes', 'Processes that these numbers are of.', 1),
    gauge('process_resident_memory_bytes', 'Memory that is in RAM, of the data file too.', rss),
    gauge('nodejs_heap_size_used_bytes', 'JavaScript objects.', heapUsed),
    gauge('nodejs_external_memory_bytes', 'Memory of buffers, outside of the heap.', external),
    counter('process_cpu_seconds_total', 'Processor time.', (user + system) / 1e6),
    counter(
      'shelfmark_event_loop_busy_seconds_total',
      'Time in which the event loop did not wait; a second a second is all that a process can do.',
      active / 1000,
    ),
    gauge(
      'process_start_time_seconds',
      'When the oldest process started, in seconds since 1970.',
      performance.timeOrigin / 1000,
      'min',
    ),
  ];
}

/** Under the server's name, whatever the engine. */
function familyOf(statistic: Statistic): MetricFamily {
  const name = `shelfmark_${statistic.name}`;
  if (statistic.kind === 'histogram') return histogram(name, statistic.help, [['', statistic.counts]]);
  if (statistic.kind === 'counter') return counter(name, statistic.help, statistic.value);
  return gauge(name, statistic.help, statistic.value, statistic.aggregate);
}
