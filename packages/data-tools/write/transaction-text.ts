// The multipart text of $batch and its limits (docs/protocol/batches.md), without anything of Node.
import type { ChangeRequest } from './change.js';

/** Changes of one partition in one request, and bytes of it (docs/protocol/batches.md#rules). */
export const CHANGES_MAX = 100;
export const BODY_BYTES_MAX = 4 * 1_048_576;
/** Upper bound for the text around a change's body in the request, without its URL. */
export const PART_OVERHEAD_BYTES = 400;

// No line of JSON begins with a boundary: its strings have no line feeds.
const BATCH = 'batch_shelfmark';
const CHANGES = 'changeset_shelfmark';
export const BATCH_TYPE = `multipart/mixed; boundary=${BATCH}`;

const OPENING = `--${BATCH}\r\nContent-Type: multipart/mixed; boundary=${CHANGES}\r\n\r\n`;
const PART = `--${CHANGES}\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n`;
const CLOSING = `--${CHANGES}--\r\n--${BATCH}--\r\n`;

const headersText = (headers: Readonly<Record<string, string>>): string => {
  let text = '';
  for (const name in headers) text += `${name}: ${headers[name]}\r\n`;
  return text;
};

export function formatTransaction(endpoint: string, requests: readonly ChangeRequest[]): string {
  let text = OPENING;
  for (const { method, path, headers, body } of requests)
    text += `${PART}${method} ${endpoint}${path} HTTP/1.1\r\n${headersText(headers)}\r\n${body}\r\n`;
  return text + CLOSING;
}

const STATUS_LINE = /^HTTP\/1\.[01] (\d{3})/gm;

/** The statuses of the parts of an answer. */
export const statusesIn = (text: string): readonly number[] =>
  [...text.matchAll(STATUS_LINE)].map(([, status]) => Number(status));
