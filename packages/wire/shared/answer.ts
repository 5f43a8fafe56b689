// The common part of all services' answers before they are written as responses. Each service has its own facts and their order.

export type Header = readonly [name: string, value: string];

/** The facts of the request that every answer repeats. */
export interface Exchange {
  readonly requestId: string;
  /** x-ms-version as it is echoed. */
  readonly version: string;
  readonly clientRequestId: string | undefined;
}

/** Earlier versions do not get their request id back (protocol: responses#table-service). */
export const ECHO_SINCE = '2019-02-02';

/** A 503 has Retry-After, as the service's clients expect; not for a full disk, which takes longer. */
export const RETRY: Header = ['Retry-After', '1'];
