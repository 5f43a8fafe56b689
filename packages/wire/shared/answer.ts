// What the answers of all services have in common before they are written as responses. Each service has its own facts and their order.

export type Header = readonly [name: string, value: string];

/** What every answer says of the request that it answers. */
export interface Exchange {
  readonly requestId: string;
  /** x-ms-version as it is echoed. */
  readonly version: string;
  readonly clientRequestId: string | undefined;
}

/** Versions before do not get their request id back (protocol: responses#table-service). */
export const ECHO_SINCE = '2019-02-02';

/** Who is told to come again is told when, as the service's clients expect of 503. A full disk takes longer. */
export const RETRY: Header = ['Retry-After', '1'];
