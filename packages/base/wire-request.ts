// A request and a response as plain values: the interface between the HTTP server and its handlers.

/** A body in one buffer, or the reason why there is none. */
export interface WholeBody {
  readonly body: Buffer;
  /** The body was longer than the limit; `body` is then empty. */
  readonly bodyTooLarge: boolean;
  /** There is no memory for the body; it was discarded. */
  readonly isBusy: boolean;
}

/**
 * A body that did not arrive with its head, and is not read before its handler asks for it. Reading it as it arrives
 * slows its client down to the reader's pace. It can be iterated or collected, once. Each piece may change once the
 * next one is asked for. The iteration throws if the rest will not arrive; the server discards an unread body.
 */
export interface BodyStream extends AsyncIterable<Buffer> {
  /** In bytes, if the head has it. */
  readonly length: number | undefined;
  /**
   * Reserves the memory that iterating needs. False if there is none: then the body is discarded. Iterating also does
   * this, and throws.
   */
  reserve(): boolean;
  /** The whole body in one buffer, within the memory available to all. */
  collect(bytesMax: number): Promise<WholeBody>;
}

export interface WireRequest {
  readonly method: string;
  /** The request target exactly as it was sent: path and query, still encoded. */
  readonly target: string;
  /**
   * Names in lower case; for a repeated header the values joined by ", ". If a name has capitals, and the listener
   * keeps the spelling of such names (`spelledPrefix`), `:` and the name holds it as the client spelled it.
   */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
  /** The body was longer than the limit; `body` is then empty. */
  readonly bodyTooLarge?: boolean | undefined;
  /** There is no memory for the request; its body was discarded. */
  readonly isBusy?: boolean | undefined;
  /** The unread body, if it did not arrive with its head; `body` is then empty. */
  readonly stream?: BodyStream | undefined;
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

/** An answer whose body is made while it is sent, as fast as the client reads it. */
export interface StreamedResponse extends Omit<WireResponse, 'body'> {
  /**
   * Sent in chunks where the headers give no Content-Length. Iterated once, and returned early if the client goes; if it throws, the
   * connection is cut, so that no client takes a part for the whole. Its pieces must not change afterwards.
   */
  readonly body: AsyncIterable<Buffer>;
}
