// Keys by themselves: those of one row, and a range of them. compiled-key.ts makes them of values.

/** The keys of one row. */
export interface Point {
  readonly partitionKey: string;
  readonly rowKey: string;
}

/** Keys, by what comparing them with a text says. At most one bound on either side; without any, all keys. */
export interface KeyRange {
  readonly eq?: string;
  readonly ge?: string;
  readonly gt?: string;
  readonly lt?: string;
  readonly le?: string;
}
