// An answer before it is written: the facts that headers are made of, without their order.
// A response and a part of a batch write the same answer with other headers (format-response.ts).

import type { Header } from '../shared/answer.js';

export interface Answer {
  readonly status: number;
  readonly reason?: string | undefined;
  readonly contentType?: string | undefined;
  readonly body?: Buffer | string | undefined;
  /** The body holds ASCII alone, so that its length is its bytes and nobody has to count them. */
  readonly isAscii?: boolean | undefined;
  readonly etag?: string | undefined;
  readonly location?: string | undefined;
  /** With 204 the location is said a second time, as DataServiceId. */
  readonly dataServiceId?: boolean | undefined;
  readonly preferenceApplied?: string | undefined;
  /** Continuation tokens, or what a preflight asked for. */
  readonly more?: readonly Header[] | undefined;
  /** JSON operations carry Cache-Control, but not where they were refused early (protocol: responses#headers-by-answer). */
  readonly cacheControl: boolean;
  /** X-Content-Type-Options: JSON operations carry it always, XML ones never. */
  readonly noSniff: boolean;
  /** Said in parts of a batch only. */
  readonly dataServiceVersion?: '1.0;' | '3.0;' | undefined;
  /** Named in a header of its own on XML errors. */
  readonly errorCode?: string | undefined;
  readonly challenge?: string | undefined;
  /** Answers of failed authentication say neither the version nor the client's request id (protocol: responses#table-service). */
  readonly anonymous?: boolean | undefined;
}
