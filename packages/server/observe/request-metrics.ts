// Counts the requests that were answered: by operation and status, with their time, and refusals by code. For a request it only
// adds to numbers in arrays that are there from the beginning; texts are made when somebody asks for the figures.

import { Histogram, SECONDS_BOUNDS } from '#base';
import type { OperationKind as QueueOperationKind } from '#queues';
import type { OperationKind } from '#tables';
import { counter, histogram, label, type MetricFamily } from './metric-family.js';

/** What queues have that tables have too is counted under a name of its own. */
const QUEUE_NAMES = {
  getServiceProperties: 'getQueueServiceProperties',
  setServiceProperties: 'setQueueServiceProperties',
  getServiceStats: 'getQueueServiceStats',
} as const;

type SharedKind = keyof typeof QUEUE_NAMES;
type CountedQueueOperation =
  | Exclude<QueueOperationKind, SharedKind>
  | (typeof QUEUE_NAMES)[SharedKind]
  | 'unknownQueueOperation';

/** `unknown`: refused before it was clear what it is, preflights among them. */
export type CountedOperation = OperationKind | 'unknown' | CountedQueueOperation;

export function countedQueueOperation(kind: QueueOperationKind | undefined): CountedOperation {
  switch (kind) {
    case undefined:
      return 'unknownQueueOperation';
    case 'getServiceProperties':
    case 'setServiceProperties':
    case 'getServiceStats':
      return QUEUE_NAMES[kind];
    default:
      return kind;
  }
}

const PLACES: Readonly<Record<CountedOperation, number>> = {
  insertEntity: 0,
  updateEntity: 1,
  mergeEntity: 2,
  insertOrReplaceEntity: 3,
  insertOrMergeEntity: 4,
  deleteEntity: 5,
  submitTransaction: 6,
  getEntity: 7,
  queryEntities: 8,
  queryTables: 9,
  createTable: 10,
  getTable: 11,
  deleteTable: 12,
  getTableAcl: 13,
  setTableAcl: 14,
  getServiceProperties: 15,
  setServiceProperties: 16,
  getServiceStats: 17,
  unknown: 18,
  listQueues: 19,
  createQueue: 20,
  deleteQueue: 21,
  getQueueMetadata: 22,
  setQueueMetadata: 23,
  getQueueAcl: 24,
  setQueueAcl: 25,
  putMessage: 26,
  getMessages: 27,
  peekMessages: 28,
  updateMessage: 29,
  deleteMessage: 30,
  clearMessages: 31,
  getQueueServiceProperties: 32,
  setQueueServiceProperties: 33,
  getQueueServiceStats: 34,
  unknownQueueOperation: 35,
};
const OPERATIONS = Object.keys(PLACES);
/** Statuses are numbers of three digits. */
const STATUSES = 1000;

export class RequestMetrics {
  readonly #answered = new Float64Array(OPERATIONS.length * STATUSES);
  readonly #times = OPERATIONS.map(() => new Histogram(SECONDS_BOUNDS));
  /** Codes are those of the table of errors. */
  readonly #refused = new Map<string, number>();

  /** An answer is ready to be written, so many milliseconds after the request was complete. */
  answer(operation: CountedOperation, status: number, milliseconds: number): void {
    const place = PLACES[operation];
    const at = place * STATUSES + status;
    this.#answered[at] = (this.#answered[at] ?? 0) + 1;
    this.#times[place]?.add(milliseconds / 1000);
  }

  /** A request, or a part of a batch that answers for it, was refused. */
  refuse(code: string): void {
    this.#refused.set(code, (this.#refused.get(code) ?? 0) + 1);
  }

  families(): readonly MetricFamily[] {
    const requests = [];
    const times = [];
    for (const [place, operation] of OPERATIONS.entries()) {
      const named = label('operation', operation);
      const counts = this.#answered.subarray(place * STATUSES, (place + 1) * STATUSES);
      for (const [status, value] of counts.entries())
        if (value > 0) requests.push({ suffix: '', labels: `${named},${label('status', status)}`, value });
      const time = this.#times[place]?.counts();
      if (time?.counts.some(count => count > 0)) times.push([named, time] as const);
    }
    const refusals = [...this.#refused].map(([code, value]) => ({
      suffix: '',
      labels: label('code', code),
      value,
    }));
    return [
      counter(
        { name: 'shelfmark_requests_total', help: 'Requests answered, by operation and status.' },
        requests,
      ),
      histogram(
        {
          name: 'shelfmark_request_duration_seconds',
          help: 'Time from a complete request to its answer, by operation.',
        },
        times,
      ),
      counter(
        {
          name: 'shelfmark_refusals_total',
          help: 'Requests, or their parts in a batch, that were refused or failed, by error code.',
        },
        refusals,
      ),
    ];
  }
}
