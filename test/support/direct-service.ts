// A service without sockets, for suites that hand requests to `handle` as values.
import type { Clock } from '#base';
import { WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY } from '#server';
import type { Store } from '#store';
import { Accounts } from '../../packages/server/auth/accounts.js';
import { BearerTokens } from '../../packages/server/auth/bearer.js';
import { SignedTokens } from '../../packages/server/auth/signed-tokens.js';
import type { ServerContext } from '../../packages/server/frame/server-context.js';

/** Ids in the order of their making, none twice. */
export function countedIds(): () => string {
  let ids = 0;
  return () => {
    ids += 1;
    return `00000000-0000-0000-0000-${String(ids).padStart(12, '0')}`;
  };
}

/** Faults that are no refusals go to `failures`. Services on one store share their ids, which messages are known by. */
export function directService(
  store: Store,
  clock: Clock,
  failures: unknown[],
  accounts = new Accounts({ [WELL_KNOWN_ACCOUNT]: [WELL_KNOWN_KEY] }),
  newId = countedIds(),
): ServerContext {
  return {
    store,
    clock,
    accounts,
    bearer: new BearerTokens(accounts),
    signed: new SignedTokens(),
    signedForQueues: new SignedTokens(),
    log: { seesAnswers: false, request: () => undefined, failure: (_, error) => failures.push(error) },
    figures: undefined,
    tableDeletionTicks: 0n,
    newId,
  };
}
