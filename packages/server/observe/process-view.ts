// The state of one server process: whether it is ready, and its metrics. It exists before the store and the port
// do, so that probes get an answer during startup.

import type { Listener } from '#http';
import type { Engine } from '#store';
import { engineFamilies } from './engine-families.js';
import { gauge, type MetricFamily } from './metric-family.js';
import type { OperationsView } from './operations-port.js';
import { processFamilies } from './process-families.js';
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
      gauge({ name: 'shelfmark_ready', help: '1 where /readyz says ok, else 0.', aggregate: 'min' }, ready),
      gauge({ name: 'shelfmark_connections', help: "Open connections of the services' ports." }, connections),
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
      return engineFamilies(this.#engine.statistics());
    } catch {
      return [];
    }
  }
}
