// A Table service without sockets, for suites that hand requests to `handle` as values.
import { WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY } from '#server';
import type { Clock, Store } from '#store';
import { Accounts } from '../packages/server/accounts.js';
import { BearerTokens } from '../packages/server/bearer.js';
import { SignedTokens } from '../packages/server/signed-tokens.js';
import type { TableService } from '../packages/server/table-service.js';

/** Faults that are no refusals go to `failures`. */
export function directService(
  store: Store,
  clock: Clock,
  failures: unknown[],
  accounts = new Accounts({ [WELL_KNOWN_ACCOUNT]: [WELL_KNOWN_KEY] }),
): TableService {
  let ids = 0;
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
    newId: () => {
      ids += 1;
      return `00000000-0000-0000-0000-${String(ids).padStart(12, '0')}`;
    },
  };
}
