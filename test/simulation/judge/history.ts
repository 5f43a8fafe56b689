// What happened in a run: each call as it was sent, when it began and ended by a logical clock, and its answer as values.
// judge.ts decides whether a history is legal.
import type { Expression } from '../plan/expression.js';
import type { Level, Write } from '../plan/step.js';

/** A place in a table's order. */
export interface Place {
  readonly partition: string;
  readonly key: string;
}

export interface SentWrite extends Write {
  /** The header as it was sent. */
  readonly ifMatch: string | undefined;
}

export interface WritesCall {
  readonly kind: 'writes';
  readonly table: string;
  readonly writes: readonly SentWrite[];
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

export type TableCall =
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
  /** Of a refusal. In a batch it is the failed operation's, as the status is. */
  readonly code: string | undefined;
  /** Of the operation that was refused, where the text names it. */
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

/** A call and what came of it. Times are numbers of a clock that counts beginnings and ends. */
export interface Happening {
  readonly step: number;
  readonly client: number;
  readonly level: Level;
  readonly invoked: number;
  answered: number;
  readonly call: Call;
  /** Undefined where it is unknown: the answer was lost, or the server was busy. */
  answer: Answer | undefined;
}

/** Something that no server may do. */
export class Breach extends Error {
  readonly step: number;

  constructor(step: number, message: string) {
    super(message);
    this.step = step;
  }
}
