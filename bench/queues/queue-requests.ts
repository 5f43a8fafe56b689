// The requests of the queue workloads, and the required content of their answers. All of them use an account SAS.
import type { RequestKind } from '../load/job.js';
import type { Endpoint } from '../load/requests.js';
import type { Response } from '../load/response-parser.js';
import { type Part, partBytes, slot } from '../load/template.js';

/** About as long as the entities of the table workloads. */
const TEXT_BYTES = 1024;
const NUMBER_DIGITS = 12;
const FILLING = 'send the list of prices to this customer and ask for the orders of next month; '
  .repeat(20)
  .slice(0, TEXT_BYTES - NUMBER_DIGITS);
/** Longer than any run: no message becomes visible again while it is measured. */
const VISIBILITY_SECONDS = 3600;
const VERSION = 'x-ms-version: 2019-02-02';

/** `bytes` are those of the whole text. */
export const textOf = (number: number, bytes = TEXT_BYTES): string =>
  (String(number).padStart(NUMBER_DIGITS, '0') + FILLING).slice(0, bytes);

interface Message {
  readonly id: string;
  readonly receipt: string;
  readonly text: string;
}

function request(
  { port, account, signature }: Endpoint,
  method: string,
  resource: string,
  query: string,
  body?: string,
): string {
  const length = body === undefined ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  const head = `${method} /${account}/${resource}?${query}${signature} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${VERSION}\r\n`;
  return `${head}${length}\r\n${body ?? ''}`;
}

export const createQueue = (endpoint: Endpoint, queue: string): string =>
  request(endpoint, 'PUT', queue, '', '');

/** `timeToLiveSeconds` absent: the service's own. */
export function putMessage(
  endpoint: Endpoint,
  queue: string,
  number: number,
  timeToLiveSeconds?: number,
  bytes?: number,
): string {
  const query = timeToLiveSeconds === undefined ? '' : `messagettl=${timeToLiveSeconds}&`;
  const body = `<QueueMessage><MessageText>${textOf(number, bytes)}</MessageText></QueueMessage>`;
  return request(endpoint, 'POST', `${queue}/messages`, query, body);
}

/** Messages of consecutive numbers. */
export function putMessages(endpoint: Endpoint, queue: string): RequestKind {
  const [before, after] = ['<QueueMessage><MessageText>', '</MessageText></QueueMessage>'];
  const number = slot('unique');
  const body: Part[] = [`${before}${'0'.repeat(NUMBER_DIGITS - number.digits)}`, number, FILLING + after];
  const head = request(endpoint, 'POST', `${queue}/messages`, '', '')
    .trimEnd()
    .replace(/\d+$/, String(partBytes(body)));
  return { parts: [`${head}\r\n\r\n`, ...body], check: { kind: 'any', status: 201 } };
}

export const getMessage = (endpoint: Endpoint, queue: string): string =>
  request(endpoint, 'GET', `${queue}/messages`, `numofmessages=1&visibilitytimeout=${VISIBILITY_SECONDS}&`);

export const deleteMessage = (endpoint: Endpoint, queue: string, { id, receipt }: Message): string =>
  request(endpoint, 'DELETE', `${queue}/messages/${id}`, `popreceipt=${encodeURIComponent(receipt)}&`);

const ID = /<MessageId>([^<]+)<\/MessageId>/;
const RECEIPT = /<PopReceipt>([^<]+)<\/PopReceipt>/;
const TEXT = /<MessageText>([^<]*)<\/MessageText>/;

/** @throws Error with the answer if it does not have this status. */
export function requireStatus({ status, body }: Response, wanted: number): void {
  if (status !== wanted) throw new Error(`status ${status}: ${body.toString('utf8', 0, 400)}`);
}

/** @throws Error if there is no message, or its text is not one that was put. */
export function messageOf(response: Response, bytes?: number): Message {
  requireStatus(response, 200);
  const xml = response.body.toString();
  const [id, receipt, text] = [ID, RECEIPT, TEXT].map(pattern => pattern.exec(xml)?.[1]);
  if (id === undefined || receipt === undefined || text === undefined)
    throw new Error(`no message: ${xml.slice(0, 400)}`);
  if (text !== textOf(Number(text.slice(0, NUMBER_DIGITS)), bytes)) throw new Error(`another text: ${text}`);
  return { id, receipt, text };
}
