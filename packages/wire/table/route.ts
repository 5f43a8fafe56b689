// What a request target names, as a value. Parsing it is parse-target.ts's matter.
import type { EntityKey, TableErrorCode } from '#tables';
import type { ServiceRoute } from '../shared/target.js';

export type TableResource =
  /** The path names nothing; it is refused with this code, but only once the caller is known. */
  | { readonly kind: 'invalid'; readonly code: TableErrorCode }
  | { readonly kind: 'service' }
  | { readonly kind: 'batch' }
  | { readonly kind: 'tables' }
  /** `/Tables('T')`: the table as an entry of the list. */
  | { readonly kind: 'table'; readonly table: string }
  /** `/T` or `/T()`: the entities of the table. */
  | { readonly kind: 'entities'; readonly table: string }
  /** `/T/more`: leads nowhere, but which refusal it earns depends on the verb and on whether the table exists. */
  | { readonly kind: 'nested'; readonly table: string }
  | { readonly kind: 'entity'; readonly table: string; readonly key: EntityKey };

export type Route = ServiceRoute<TableResource>;
