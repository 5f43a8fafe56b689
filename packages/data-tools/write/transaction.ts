// Sends an entity group transaction, and reads the meaning of its answer: done, or which change failed and why
// (docs/protocol/batches.md).
import { BadAnswer, type Endpoint, errorOf } from '../source/endpoint.js';
import type { ChangeRequest } from './change.js';
import { BATCH_TYPE, formatTransaction, statusesIn } from './transaction-text.js';

/** The result of changes that were sent. */
export interface ChangeResult {
  /** 2xx if all are done. */
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** An earlier attempt may have been done. */
  readonly isRepeated: boolean;
}

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
  const statuses = statusesIn(text);
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
