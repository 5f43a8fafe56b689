// The calls on a Table service and their answers as values. judge.ts decides whether a history of them is legal.
import type { Happening } from '../../histories/history.js';
import type { Expression } from '../plan/expression.js';
import type { Property } from '../plan/value.js';

export type Level = 'nometadata' | 'minimalmetadata' | 'fullmetadata';

/** A place in a table's order. */
export interface Place {
  readonly partition: string;
  readonly key: string;
}

export type WriteKind = 'insert' | 'update' | 'merge' | 'insertOrReplace' | 'insertOrMerge' | 'delete';

/** The If-Match header: none, `*`, the last or an earlier ETag that any client saw, one of no row, or an invalid ETag. */
export type Match = 'absent' | 'any' | 'last' | 'earlier' | 'foreign' | 'malformed';

export interface Write extends Place {
  readonly kind: WriteKind;
  readonly properties: readonly Property[];
  readonly match: Match;
  /** Sends the property of this name as null, which is the same as leaving it out. */
  readonly nullName?: string | undefined;
  /** A merge uses the verb of later versions. */
  readonly patches?: boolean | undefined;
  /** The header as it is sent. */
  readonly ifMatch?: string | undefined;
}

export interface WritesCall {
  readonly kind: 'writes';
  readonly table: string;
  readonly writes: readonly Write[];
  readonly isBatch: boolean;
  readonly prefer: 'return-content' | 'return-no-content' | undefined;
}

export interface GetCall extends Place {
  readonly kind: 'get';
  readonly table: string;
  readonly isBatch: boolean;
  readonly select: readonly string[] | undefined;
}

export interface PageCall {
  readonly kind: 'page';
  readonly table: string;
  readonly filter: Expression | undefined;
  readonly top: number | undefined;
  readonly select: readonly string[] | undefined;
  /** Where the page before ended. */
  readonly from: Place | undefined;
}

type TableCall =
  | { readonly kind: 'createTable' | 'deleteTable' | 'getTable' | 'getAcl'; readonly table: string }
  | { readonly kind: 'setAcl'; readonly table: string; readonly ids: readonly string[] };

export type Call =
  | TableCall
  | WritesCall
  | GetCall
  | PageCall
  | { readonly kind: 'queryTables'; readonly top: number | undefined; readonly from: string | undefined }
  | { readonly kind: 'getSettings' }
  | { readonly kind: 'setSettings'; readonly origin: string };

/** An entity of an answer. */
export interface Seen extends Place {
  /** From Timestamp or ETag, in ticks; undefined if the answer has neither. */
  readonly version: bigint | undefined;
  /** The custom properties with their annotations, as comparable text (content.ts). */
  readonly content: string;
}

export interface Answer {
  readonly status: number;
  /** For a refusal. In a batch it is the failed operation's, like the status. */
  readonly code: string | undefined;
  /** Of the operation that was refused, if the text names it. */
  readonly index: number | undefined;
  /** One for each write; undefined for a delete. */
  readonly versions: readonly (bigint | undefined)[];
  readonly entities: readonly Seen[];
  readonly next: Place | undefined;
  readonly tables: readonly string[];
  readonly nextTable: string | undefined;
  /** Of access policies, or the origin of the settings' only CORS rule. */
  readonly texts: readonly string[];
}

/** A call and its outcome. */
export interface TableHappening extends Happening<Call, Answer> {
  readonly client: number;
  readonly level: Level;
}
