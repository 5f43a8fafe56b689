// What a running server consists of: everything that the requests of all its services share. Made once, by serve.ts.
import type { DeletionDelay } from '#account';
import type { Clock } from '#base';
import type { ContentStore, Store } from '#store';
import type { Accounts } from '../auth/accounts.js';
import type { BearerTokens } from '../auth/bearer.js';
import type { Log } from '../observe/log.js';
import type { RequestMetrics } from '../observe/request-metrics.js';
import type { Forwarding } from '../peers/forwarding.js';

export interface ServerContext {
  readonly store: Store;
  /** Of the same engine: what is too large for rows. */
  readonly content: ContentStore;
  readonly clock: Clock;
  readonly accounts: Accounts;
  readonly bearer: BearerTokens;
  readonly log: Log;
  /** Undefined unless something reads them. */
  readonly metrics: RequestMetrics | undefined;
  /** Undefined where no other process has the store open. */
  readonly forwarding: Forwarding | undefined;
  /** How long the names of dropped tables and queues are reserved; undefined for not at all. */
  readonly deletion: DeletionDelay | undefined;
  /** A new GUID in lower case for each call. */
  readonly newId: () => string;
}
