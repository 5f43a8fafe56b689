// Counts the requests that were answered: by operation and status, with their time, and refusals by code. A request only
// adds to preallocated arrays of numbers; texts are made when the metrics are read.

import { Histogram, SECONDS_BOUNDS } from '#base';
import { counter, histogram, label, type MetricFamily } from './metric-family.js';

/** What of a service is counted: by name, and with all kinds of its operations. */
export interface CountedService {
  readonly name: string;
  readonly rights: Readonly<Record<string, unknown>>;
}

/** Requests that were refused before it was clear what they are, preflights among them. */
const UNKNOWN = 'unknown';
/** Statuses are numbers of three digits. */
const STATUSES = 1000;

/** Where each kind of a service's operations is counted. */
export class OperationSlots {
  readonly #slots: Readonly<Record<string, number>>;
  readonly #unknown: number;

  constructor(slots: Readonly<Record<string, number>>, unknown: number) {
    this.#slots = slots;
    this.#unknown = unknown;
  }

  of(kind: string | undefined): number {
    return kind === undefined ? this.#unknown : (this.#slots[kind] ?? this.#unknown);
  }
}

/**
 * The exported name of a kind: the first service that has it counts under the plain name, later ones insert theirs after the verb:
 * `getServiceStats` and `getQueueServiceStats`, `unknown` and `unknownQueueOperation`.
 */
function labelOf(kind: string, service: string, taken: readonly string[]): string {
  if (!taken.includes(kind)) return kind;
  const [, verb = '', rest = ''] = /^([a-z]+)(.*)$/.exec(kind) ?? [];
  return `${verb}${service.charAt(0).toUpperCase()}${service.slice(1)}${rest || 'Operation'}`;
}

export class RequestMetrics {
  readonly #operations: readonly string[];
  readonly #slots: ReadonlyMap<string, OperationSlots>;
  readonly #answered: Float64Array;
  readonly #times: readonly Histogram[];
  /** Codes are those of the tables of errors. */
  readonly #refused = new Map<string, number>();

  constructor(services: readonly CountedService[]) {
    const operations: string[] = [];
    const slots = new Map<string, OperationSlots>();
    for (const { name, rights } of services) {
      const taken = [...operations];
      const add = (kind: string): number => operations.push(labelOf(kind, name, taken)) - 1;
      const own = Object.keys(rights).map(kind => [kind, add(kind)] as const);
      slots.set(name, new OperationSlots(Object.fromEntries(own), add(UNKNOWN)));
    }
    this.#operations = operations;
    this.#slots = slots;
    this.#answered = new Float64Array(operations.length * STATUSES);
    this.#times = operations.map(() => new Histogram(SECONDS_BOUNDS));
  }

  /** Undefined for a service that is not counted here. */
  slotsOf({ name }: CountedService): OperationSlots | undefined {
    return this.#slots.get(name);
  }

  /** An answer is ready to be written, this many milliseconds after the request was complete. */
  answer(slot: number, status: number, milliseconds: number): void {
    const at = slot * STATUSES + status;
    this.#answered[at] = (this.#answered[at] ?? 0) + 1;
    this.#times[slot]?.add(milliseconds / 1000);
  }

  /** A request, or a part of a batch that answers for it, was refused. */
  refuse(code: string): void {
    this.#refused.set(code, (this.#refused.get(code) ?? 0) + 1);
  }

  families(): readonly MetricFamily[] {
    const requests = [];
    const times = [];
    for (const [slot, operation] of this.#operations.entries()) {
      const named = label('operation', operation);
      const counts = this.#answered.subarray(slot * STATUSES, (slot + 1) * STATUSES);
      for (const [status, value] of counts.entries())
        if (value > 0) requests.push({ suffix: '', labels: `${named},${label('status', status)}`, value });
      const time = this.#times[slot]?.counts();
      if (time?.counts.some(count => count > 0)) times.push([named, time] as const);
    }
    const refusals = [...this.#refused].map(([code, value]) => ({
      suffix: '',
      labels: label('code', code),
      value,
    }));
    return [
      counter('shelfmark_requests_total', 'Requests answered, by operation and status.', requests),
      histogram(
        'shelfmark_request_duration_seconds',
        'Time from a complete request to its answer, by operation.',
        times,
      ),
      counter(
        'shelfmark_refusals_total',
        'Requests, or their parts in a batch, that were refused or failed, by error code.',
        refusals,
      ),
    ];
  }
}
