// What the thread that makes requests and the one that watches it say to each other.

/** The runs from `first` on, as far as their epoch falls to this thread. */
export interface Share {
  readonly seed: number;
  readonly first: number;
  readonly runs: number;
  readonly place: number;
  readonly places: number;
}

export interface ThreadStart {
  readonly share: Share;
  /** One Int32: the number of the run under way, so that a run that never ends can be named. */
  readonly progress: SharedArrayBuffer;
}

export type Tally = ReadonlyMap<string, number>;

export type ThreadEnd =
  | { readonly kind: 'done'; readonly tally: Tally; readonly grownBytes: number | undefined }
  | { readonly kind: 'failed'; readonly run: number };
