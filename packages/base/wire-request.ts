// A request and a response as plain values: the interface between the HTTP server and its handlers.

export interface WireRequest {
  readonly method: string;
  /** The request target exactly as it was sent: path and query, still encoded. */
  readonly target: string;
  /**
   * Names in lower case; of a header sent twice, the values joined by ", ". Where a name has capitals, and the listener was told to
   * keep the spelling of such names (`spelledPrefix`), `:` and the name holds it as the client spelled it.
   */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
  /** The body was longer than the limit; `body` is then empty. */
  readonly bodyTooLarge: boolean;
  /** There is no memory for the request; its body was discarded. */
  readonly isBusy?: boolean | undefined;
  /** Whether the connection uses TLS. */
  readonly secure: boolean;
  /** The peer's address in numeric form. */
  readonly remoteAddress: string;
}

export interface WireResponse {
  readonly status: number;
  /** The phrase of the status line where it is not the standard one. */
  readonly reason?: string | undefined;
  /** In the order in which they are written. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer | string | undefined;
}
