// The messages between the thread that makes requests and the one that watches it.

/** The runs from `first` on, if their epoch belongs to this thread. */
export interface Share {
  readonly seed: number;
  readonly first: number;
  readonly runs: number;
  readonly place: number;
  readonly places: number;
}

export interface ThreadStart {
  readonly share: Share;
  /** One Int32: the number of the current run, so that an endless run can be named. */
  readonly progress: SharedArrayBuffer;
}

export type Tally = ReadonlyMap<string, number>;

export type ThreadEnd =
  | { readonly kind: 'done'; readonly tally: Tally; readonly grownBytes: number | undefined }
  | { readonly kind: 'failed'; readonly run: number };
