// What an authenticated request may do, as a value. Finding it out is authenticate.ts's matter, asking it authorize.ts's.
import type { KeyRange } from '#wire';
import type { Role } from './roles.js';

export type Grant =
  /** Signed with a key of the account: everything. */
  | { readonly kind: 'owner' }
  /** An account's shared access signature: letters of resource types (`s`, `c`, `o`) and of permissions. */
  | { readonly kind: 'accountSas'; readonly resourceTypes: string; readonly permission: string }
  /** A bearer token's roles, and the version of the request: older versions refuse some operations to tokens. */
  | { readonly kind: 'bearer'; readonly roles: readonly Role[]; readonly version: string }
  /** Of a caller without credentials, where the service has something for all. */
  | { readonly kind: 'anonymous' }
  /** That of a table, a queue, a container or a blob, as the signature spells it, with its letters and the entities that it is limited to. */
  | {
      readonly kind: 'serviceSas';
      readonly resource: string;
      readonly permission: string;
      readonly range: KeyRange | undefined;
    };
