// A request and a response as plain values: the interface between the HTTP server and its handlers.

/** A body in one buffer, or why there is none. */
export interface WholeBody {
  readonly body: Buffer;
  /** The body was longer than the limit; `body` is then empty. */
  readonly bodyTooLarge: boolean;
  /** There is no memory for the body; it was discarded. */
  readonly isBusy: boolean;
}

/**
 * A body that did not come with its head, and is not taken before its handler asks for it. One that is read while it comes slows its client
 * down to the reader's pace. It is iterated or collected, and once. Of several pieces each may change once the next one is asked for. The
 * iteration throws if the rest will not come; a body that is left unread is the server's to discard.
 */
export interface BodyStream extends AsyncIterable<Buffer> {
  /** In bytes, where the head says it. */
  readonly length: number | undefined;
  /** Takes the memory that iterating needs. False where there is none: then the body is discarded. Iterating does so by itself, and throws. */
  reserve(): boolean;
  /** The whole body in one buffer, within the memory that is there for all. */
  collect(bytesMax: number): Promise<WholeBody>;
}

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
  /** The body was longer than the limit of who collected it; `body` is then empty. */
  readonly bodyTooLarge?: boolean | undefined;
  /** There is no memory for the request; its body was discarded. */
  readonly isBusy?: boolean | undefined;
  /** The body, unread, where it did not come with its head; `body` is then empty. */
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
