// What the parts of the fuzz suite have in common: a world that cases are made in, one after the other.
import type fc from 'fast-check';

export interface World<Case> {
  /** The same state for each epoch, and the cases that fit it. Call first. */
  reset(seed: number): Promise<fc.Arbitrary<Case>>;
  /** Resolves with outcomes to be counted. @throws what is wrong. */
  make(one: Case): Promise<readonly string[]>;
  close?(): Promise<void>;
}

export type Tally = ReadonlyMap<string, number>;

export interface Part {
  open(): Promise<World<unknown>>;
  /** Of the whole suite. */
  readonly runs: number;
  /** Runs in one state of the world: it stays small, and a failure is repeated from the beginning of its epoch. */
  readonly epoch: number;
  /** Whether these outcomes prove something; default always. */
  readonly isEnough?: (tally: Tally, runs: number) => boolean;
}

export interface Runs {
  readonly seed: number;
  /** The number of the first run. */
  readonly first: number;
  readonly runs: number;
}

/** The epochs of the runs that belong to one of several threads. */
export interface Share extends Runs {
  readonly place: number;
  readonly places: number;
}

export type Ended =
  | { readonly kind: 'done'; readonly tally: Tally; readonly grownBytes: number }
  | { readonly kind: 'failed'; readonly run: number; readonly text: string };
