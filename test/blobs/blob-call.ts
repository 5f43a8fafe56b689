// The calls on a Blob service and their answers as values. blob-judge.ts decides whether a history of them is legal.
import type { Happening } from '../histories/history.js';
import type { Step } from './blob-model.js';

interface OnContainer<Kind extends string> {
  readonly kind: Kind;
  readonly container: string;
}

export type Range = readonly [from: number, count: number];

export interface WriteCall extends OnContainer<'write'> {
  readonly step: Step;
}

/** Without a range the whole blob. */
export interface ReadCall extends OnContainer<'read'> {
  readonly blob: string;
  readonly range: Range | undefined;
}

/** `show` is everything in the container, while nothing else is in progress. */
export type BlobCall = WriteCall | ReadCall | OnContainer<'make'> | OnContainer<'drop'> | OnContainer<'show'>;

export interface BlobAnswer {
  /** For a refusal. */
  readonly code: string | undefined;
  readonly etag?: string | undefined;
  /** Of an append. */
  readonly offset?: number | undefined;
  /** Length and sum of what was read, or what is shown. */
  readonly text?: string | undefined;
}

export type BlobHappening = Happening<BlobCall, BlobAnswer>;
