// An answer before it is written: the facts that headers are made of, without their order.
// A response and a part of a batch write the same answer with other headers (format-response.ts).

import type { Header } from '../shared/answer.js';

export interface Answer {
  readonly status: number;
  readonly reason?: string | undefined;
  readonly contentType?: string | undefined;
  readonly body?: Buffer | string | undefined;
  /** The body is ASCII, so that its length in characters is its length in bytes. */
  readonly isAscii?: boolean | undefined;
  readonly etag?: string | undefined;
  /** With 204 it is repeated as DataServiceId. */
  readonly location?: string | undefined;
  readonly preferenceApplied?: string | undefined;
  /** Continuation tokens, or the headers of a preflight. */
  readonly more?: readonly Header[] | undefined;
  /** JSON operations have Cache-Control, except on early refusals (protocol: responses#headers-by-answer). */
  readonly cacheControl: boolean;
  /** X-Content-Type-Options: JSON operations always have it, XML ones never. */
  readonly noSniff: boolean;
  /** In parts of a batch only. */
  readonly dataServiceVersion?: '1.0;' | '3.0;' | undefined;
  /** The code, in a header on XML errors. */
  readonly errorCode?: string | undefined;
  readonly challenge?: string | undefined;
  /** Answers of failed authentication have neither the version nor the client's request id (protocol: responses#table-service). */
  readonly anonymous?: boolean | undefined;
}
