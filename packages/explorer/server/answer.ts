// Answers of the explorer's own, with the headers that every answer has. The page may load its own scripts and styles
// and nothing else, from nowhere else; nothing may frame it; no page of another origin may read or embed anything here.
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** Of the page itself. `blob:` shows pictures that the page has downloaded; styles of virtual rows are set by script. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Of everything else, the contents of blobs among it: even opened as a page of its own it can do nothing. */
const CONTENT_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox";

/** Of errors that the explorer answers itself, so that the page can tell them from those of the account. */
const ERROR_HEADER = 'x-explorer-error';

export const commonHeaders = (isPage = false): OutgoingHttpHeaders => ({
  'content-security-policy': isPage ? PAGE_POLICY : CONTENT_POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
});

export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  more: OutgoingHttpHeaders = {},
): void {
  const text = JSON.stringify(value);
  response
    .writeHead(status, {
      ...commonHeaders(),
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
      'cache-control': 'no-store',
      ...more,
    })
    .end(text);
}

/** A failure of the explorer itself: a code, and a sentence that the page shows. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export const sendRefusal = (response: ServerResponse, { status, code, message }: Refusal): void =>
  sendJson(response, status, { code, message }, { [ERROR_HEADER]: code });
