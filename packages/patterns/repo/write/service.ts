// What repositories, batches and writers share: requests, settled writes, operation ids, clock and random bytes.

import type { Surroundings } from '../../concurrency/surroundings.js';
import type { AnyEntity } from '../../model/definition.js';
import type { DriftPolicy } from '../../model/drift.js';
import type { Connected } from '../../transport/clients.js';
import type { Sender, SenderOptions } from '../../transport/sender.js';
import type { RowRequests } from '../../transport/table-requests.js';
import { refuseDefinition } from '../../values/pattern-error.js';
import type { QueryOptions, QuerySettings } from '../read/table-query.js';
import type { OperationIdOptions, OperationIds } from './operation-id.js';
import type { SettledWrites } from './settled-writes.js';

/** The options of `open`. */
export interface ServiceOptions extends SenderOptions, Partial<Surroundings> {
  /**
   * `false` leaves no operation ids in rows. Then a write that the client retried may be reported as failed although it was applied, and a
   * lost answer is OutcomeUnknown unless the row is as it was.
   */
  readonly operationIds?: OperationIdOptions | false;
  /** The handling of stored properties that do not match their entity; `throw` by default. */
  readonly onDrift?: DriftPolicy;
  /** Options of all queries. */
  readonly queries?: QueryOptions;
  /** Seconds until workers see the message of a write from which remote rows follow, in which the write should be done; 2 by default. */
  readonly announceAfter?: number;
  /** Seconds for which a remote unique key stays reserved for a write that was not done; 30 by default. A write that takes longer may have to reserve it again. */
  readonly reserveFor?: number;
  /** Seconds for which the record of an aborted transaction is kept, in which no request of it can arrive any more; a day by default. Audits with repair delete older ones. */
  readonly keepAborted?: number;
}

/** What repositories, batches and writers share. */
export interface Service {
  readonly clients: Connected;
  readonly requests: RowRequests;
  readonly sender: Sender;
  readonly writes: SettledWrites;
  readonly operationIds: OperationIds | undefined;
  readonly surroundings: Surroundings;
  readonly onDrift: DriftPolicy | undefined;
  readonly queries: QueryOptions;
  readonly announceAfter: number;
  /** How long a reservation is left alone while its transaction is not done, in milliseconds. */
  readonly reservedFor: number;
  /** Milliseconds. */
  readonly abortedFor: number;
}

/** An empty secret would let anyone forge tokens. */
export function refuseEmptySecret({ tokenSecret }: QueryOptions = {}): void {
  if (tokenSecret !== undefined && tokenSecret.length === 0) refuseDefinition('tokenSecret', 'it is empty');
}

/** What queries of a table need. */
export function querySettings(
  { requests, onDrift, queries }: Service,
  table: string | undefined,
  own: QueryOptions = {},
): QuerySettings {
  refuseEmptySecret(own);
  return { ...queries, ...own, source: requests, onDrift, table };
}

/** Throws DefinitionInvalid for an entity whose own property would hold operation ids. */
export function refuseOperationIdProperty({ operationIds }: Service, { name, plan }: AnyEntity): void {
  if (operationIds && plan.byWire.has(operationIds.property))
    refuseDefinition(name, `${operationIds.property} holds operation ids: name another one in the options`);
}
