// What an authenticated request may do, as a value. Finding it out is authenticate.ts's matter, asking it authorize.ts's.
import type { KeyRange } from '#wire';
import type { Role } from './roles.js';

/** What every service knows. */
export type AccountGrant =
  /** Signed with a key of the account: everything. */
  | { readonly kind: 'owner' }
  /** An account's shared access signature: letters of resource types (`s`, `c`, `o`) and of permissions. */
  | { readonly kind: 'accountSas'; readonly resourceTypes: string; readonly permission: string }
  /** A bearer token's: roles of which each allows some actions, and whether the version lets it see access policies. */
  | { readonly kind: 'bearer'; readonly roles: readonly Role[]; readonly policies: boolean };

export type Grant =
  | AccountGrant
  /** A table's: the table as the signature spells it, letters out of `raud`, the entities it is limited to. */
  | {
      readonly kind: 'tableSas';
      readonly table: string;
      readonly permission: string;
      readonly range: KeyRange | undefined;
    };

export type QueueGrant =
  | AccountGrant
  /** A queue's: letters out of `raup`. */
  | { readonly kind: 'queueSas'; readonly queue: string; readonly permission: string };
