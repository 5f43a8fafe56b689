// A table, queue or container in an Azurite folder, which may hold several accounts.

export interface Owned<T> {
  readonly account: string;
  readonly name: string;
  /** Reads and checks it. @throws LokiInvalid or RowError, if it is damaged. */
  readonly open: () => T;
}
