// The route of a request to the Table service: its target as a value. parse-target.ts parses it.
import type { EntityKey, TableErrorCode } from '#tables';
import type { ServiceRoute } from '../shared/target.js';

export type TableResource =
  /** A path without a resource; it is refused with this code after authentication. */
  | { readonly kind: 'invalid'; readonly code: TableErrorCode; readonly table?: undefined }
  | { readonly kind: 'service' | 'batch' | 'tables'; readonly table?: undefined }
  /** `/Tables('T')`: the table as an entry of the list. */
  | { readonly kind: 'table'; readonly table: string }
  /** `/T` or `/T()`: the entities of the table. */
  | { readonly kind: 'entities'; readonly table: string }
  /** `/T/more`: not a resource; its refusal depends on the verb and on whether the table exists. */
  | { readonly kind: 'nested'; readonly table: string }
  | { readonly kind: 'entity'; readonly table: string; readonly key: EntityKey };

export type Route = ServiceRoute<TableResource>;
