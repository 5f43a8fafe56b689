// The outcomes of the Table service's operations, as values. The wire renders them.
import type { ServiceSettingsOutcome, SignedIdentifier } from '#account';
import type { Row } from '#store';
import type { EntityKey } from './entity/entity-key.js';

/** One entity written: inserts keep the row for an answer with content. */
export type WriteOutcome =
  | { readonly kind: 'inserted'; readonly row: Row }
  | { readonly kind: 'updated'; readonly version: bigint }
  | { readonly kind: 'deleted' };

export type Outcome =
  | WriteOutcome
  | { readonly kind: 'transaction'; readonly outcomes: readonly WriteOutcome[] }
  | { readonly kind: 'entity'; readonly row: Row }
  | {
      readonly kind: 'entities';
      readonly rows: readonly Row[];
      readonly next: EntityKey | undefined;
      readonly examined: number;
    }
  | { readonly kind: 'tables'; readonly names: readonly string[]; readonly next: string | undefined }
  | { readonly kind: 'tableCreated'; readonly name: string }
  | { readonly kind: 'table'; readonly name: string }
  | { readonly kind: 'tableDeleted' }
  | { readonly kind: 'acl'; readonly identifiers: readonly SignedIdentifier[] }
  | { readonly kind: 'aclSet' }
  | ServiceSettingsOutcome;
