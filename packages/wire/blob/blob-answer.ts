// An answer of the Blob service before it is written: the facts that headers are made of. Writing it is format-blob-response.ts's.
import type { Header } from '../shared/answer.js';

export interface BlobAnswer {
  readonly status: number;
  /** The phrase of the status line where it is not the standard one. */
  readonly reason: string | undefined;
  /** A document in XML, a small content, or a content that is read while it is sent. */
  readonly body: string | Buffer | AsyncIterable<Buffer> | undefined;
  /** Of the body that a GET would have. Undefined where the body determines it, or where the answer has no Content-Length. */
  readonly length: number | 'none' | undefined;
  /** `application/xml` for a document unless it says another. */
  readonly contentType: string | undefined;
  /** Before the server's name: what describes the content. */
  readonly content: readonly Header[];
  /** After the version. */
  readonly more: readonly Header[];
  readonly errorCode: string | undefined;
  /** Some refusals omit the version header (recorded; protocol: blob-requests#answers). */
  readonly hidesVersion: boolean;
}

const NOTHING: readonly Header[] = [];

export const blobAnswer = (status: number, facts: Partial<BlobAnswer> = {}): BlobAnswer => ({
  status,
  reason: facts.reason,
  body: facts.body,
  length: facts.length,
  contentType: facts.contentType,
  content: facts.content ?? NOTHING,
  more: facts.more ?? NOTHING,
  errorCode: facts.errorCode,
  hidesVersion: facts.hidesVersion ?? false,
});
