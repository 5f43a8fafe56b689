// What a running server consists of: everything that its requests share, those of queues too. Made once, by serve.ts.
import type { Clock } from '#base';
import type { Store } from '#store';
import type { AccountSas, QueueSas } from '#wire';
import type { Accounts } from '../auth/accounts.js';
import type { BearerTokens } from '../auth/bearer.js';
import type { SignedTokens } from '../auth/signed-tokens.js';
import type { Log } from '../observe/log.js';
import type { RequestMetrics } from '../observe/request-metrics.js';

export interface ServerContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly accounts: Accounts;
  readonly bearer: BearerTokens;
  readonly signed: SignedTokens;
  readonly signedForQueues: SignedTokens<AccountSas | QueueSas>;
  readonly log: Log;
  /** Undefined where nobody asks for them. */
  readonly figures: RequestMetrics | undefined;
  /** How long the names of dropped tables and queues are held back, in ticks; 0 for not at all. */
  readonly tableDeletionTicks: bigint;
  /** A new GUID in lower case for each call. */
  readonly newId: () => string;
}
