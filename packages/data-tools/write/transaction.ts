// An entity group transaction as text: the multipart body of $batch, and the meaning of its answer: done, or which
// change failed and why (docs/protocol/batches.md).
import { BadAnswer, type Endpoint, errorOf } from '../source/endpoint.js';
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

/** The result of changes that were sent. */
export interface ChangeResult {
  /** 2xx if all are done. */
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** An earlier attempt may have been done. */
  readonly isRepeated: boolean;
}

const STATUS_LINE = /^HTTP\/1\.[01] (\d{3})/gm;

/** Attempts at a transaction that end in 500: some servers answer this to a change that they cannot process. */
const SERVER_ERRORS_MAX = 3;

export async function sendTransaction(
  endpoint: Endpoint,
  requests: readonly ChangeRequest[],
): Promise<ChangeResult> {
  const { value, isRepeated } = await endpoint.send({
    method: 'POST',
    path: '/$batch',
    headers: {
      'content-type': BATCH_TYPE,
      accept: 'application/json;odata=minimalmetadata',
      dataserviceversion: '3.0',
    },
    body: formatTransaction(endpoint.name, requests),
    serverErrorsMax: SERVER_ERRORS_MAX,
    read: answer =>
      answer.status === 202
        ? resultIn(answer.body.toString('utf8'), requests.length)
        : { status: answer.status, ...errorOf(answer) },
  });
  return { ...value, isRepeated };
}

function resultIn(text: string, count: number): Omit<ChangeResult, 'isRepeated'> {
  const statuses = [...text.matchAll(STATUS_LINE)].map(([, status]) => Number(status));
  const failed = statuses.find(status => status >= 300);
  if (failed !== undefined) return { status: failed, ...errorOf({ body: Buffer.from(text), headers: {} }) };
  if (statuses.length !== count || !text.includes(`--`))
    throw new BadAnswer(`an answer to ${count} changes has ${statuses.length}`);
  return { status: 202, code: '', message: '' };
}

/** One change on its own; a 500 is returned at once, because it may be the change's own (apply.ts). */
export async function sendChange(
  endpoint: Endpoint,
  { method, path, headers, body }: ChangeRequest,
): Promise<ChangeResult> {
  const { status, value, isRepeated } = await endpoint.send({
    method,
    path,
    headers,
    ...(body !== '' && { body }),
    serverErrorsMax: 1,
    read: errorOf,
  });
  return { status, ...value, isRepeated };
}
