// Parses a request to the Queue service whose kind is known into an operation: query, headers and body, with their limits
// (protocol: queues, messages).
import type { Metadata } from '#account';
import {
  checkMessageCount,
  checkMetadata,
  checkRange,
  checkText,
  checkTimeToLive,
  checkVisibility,
  type Operation,
  QUEUES_PAGE_MAX,
  QueueError,
  TIME_TO_LIVE_SECONDS_DEFAULT,
  VISIBILITY_SECONDS_OF_GET,
} from '#queues';
import { parseIdentifiers } from '../shared/access-policy-xml.js';
import { parseServiceProperties } from '../shared/service-properties-xml.js';
import { checkTimeout, given, markedName, parseMetadata, wholeOf } from '../shared/storage-exchange.js';
import { decodeUtf8, fieldsOf, invalid, isPlainText, parseRoot, textOf } from '../shared/xml.js';
import { type QueueOperationKind, type QueueRoute, queueOf } from './queue-route.js';

export interface QueueRequest {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

/** Since this version the time to live is unlimited (protocol: requests#versions, messages#parameters). */
const VERSION_OF_LONG_LIVES = '2017-07-29';
const TIME_TO_LIVE_SECONDS_MAX_BEFORE = 604_800;
const DIGITS = /^\d+$/;

type Query = QueueRoute['query'];

/** Any positive number: one that no number holds exactly ends after all time, and so does what is made of it. */
function timeToLiveOf(query: Query): number {
  const text = given(query, 'messagettl');
  if (text === undefined) return TIME_TO_LIVE_SECONDS_DEFAULT;
  return DIGITS.test(text)
    ? Math.min(Number(text), Number.MAX_SAFE_INTEGER)
    : (wholeOf(query, 'messagettl') ?? 0);
}

function required(query: Query, name: string): string {
  const value = given(query, name);
  if (value === undefined) throw new QueueError('MissingRequiredQueryParameter', { name });
  return value;
}

function metadataOf({ headers }: QueueRequest): Metadata {
  const metadata = parseMetadata(headers);
  checkMetadata(metadata);
  return metadata;
}

export function pageSizeOf(query: Query): number | undefined {
  const size = wholeOf(query, 'maxresults');
  if (size !== undefined) checkRange('maxresults', size, 1, QUEUES_PAGE_MAX);
  return size;
}

function visibilityOf(query: Query, minimum: 0 | 1, initial: number): number {
  const seconds = wholeOf(query, 'visibilitytimeout') ?? initial;
  checkVisibility(seconds, minimum);
  return seconds;
}

function countOf(query: Query): number {
  const count = wholeOf(query, 'numofmessages') ?? 1;
  checkMessageCount(count);
  return count;
}

/** The document of Put and Update Message (protocol: messages#operations). */
const MESSAGE_FIELDS: ReadonlySet<string> = new Set(['MessageText']);

const DECLARATION = /^<\?xml version="1\.0" encoding="(?:utf|UTF)-8"(?: standalone="yes")?\?>/;
const START = '<QueueMessage><MessageText>';
const END = '</MessageText></QueueMessage>';

/** Fast path, ten times as fast as the parser: the text of a document in the clients' usual form, if it needs no decoding. */
function plainText(body: Buffer): string | undefined {
  const source = decodeUtf8(body);
  const from = DECLARATION.exec(source)?.[0].length ?? 0;
  if (!source.startsWith(START, from) || !source.endsWith(END)) return undefined;
  const text = source.slice(from + START.length, -END.length);
  return isPlainText(text) ? text : undefined;
}

/** The decoded text, with its white space. @throws ServiceError InvalidXmlDocument. */
export function parseMessageText(body: Buffer): string {
  const plain = plainText(body);
  if (plain !== undefined) return plain;
  const root = parseRoot(body, 'QueueMessage');
  const element = fieldsOf(root, MESSAGE_FIELDS).get('MessageText');
  if (!element) throw invalid('MessageText is missing.');
  return textOf(element);
}

function parseText(body: Buffer): string {
  const text = parseMessageText(body);
  checkText(text);
  return text;
}

function parsePut({ headers, body }: QueueRequest, { query }: QueueRoute, queue: string): Operation {
  const visibilitySeconds = visibilityOf(query, 0, 0);
  const timeToLive = timeToLiveOf(query);
  const version = headers['x-ms-version'] ?? query.get('sv') ?? VERSION_OF_LONG_LIVES;
  if (version < VERSION_OF_LONG_LIVES)
    checkRange('messagettl', timeToLive, 1, TIME_TO_LIVE_SECONDS_MAX_BEFORE);
  checkTimeToLive(timeToLive, visibilitySeconds);
  const timeToLiveSeconds = timeToLive === -1 ? undefined : timeToLive;
  return { kind: 'putMessage', queue, text: parseText(body), visibilitySeconds, timeToLiveSeconds };
}

/** Without a body the text is kept. */
function parseUpdate({ body }: QueueRequest, { query }: QueueRoute, queue: string, id: string): Operation {
  const receipt = required(query, 'popreceipt');
  required(query, 'visibilitytimeout');
  const visibilitySeconds = visibilityOf(query, 0, 0);
  const text = body.length === 0 ? undefined : parseText(body);
  return { kind: 'updateMessage', queue, id, receipt, visibilitySeconds, text };
}

/** @throws QueueError or ServiceError for refusals before the queue is read. */
export function parseQueueOperation(
  kind: QueueOperationKind,
  request: QueueRequest,
  route: QueueRoute,
): Operation {
  const { query } = route;
  const queue = queueOf(route);
  checkTimeout(query);
  switch (kind) {
    case 'listQueues': {
      const top = pageSizeOf(query) ?? QUEUES_PAGE_MAX;
      const from = markedName(query, route.account, () => new QueueError('InvalidMarker'));
      return { kind, prefix: query.get('prefix') ?? '', from, top };
    }
    case 'createQueue':
    case 'setQueueMetadata':
      return { kind, queue, metadata: metadataOf(request) };
    case 'setQueueAcl':
      return { kind, queue, identifiers: parseIdentifiers(request.body, 'raup') };
    case 'putMessage':
      return parsePut(request, route, queue);
    case 'getMessages':
      return {
        kind,
        queue,
        count: countOf(query),
        visibilitySeconds: visibilityOf(query, 1, VISIBILITY_SECONDS_OF_GET),
      };
    case 'peekMessages':
      return { kind, queue, count: countOf(query) };
    case 'updateMessage':
      return parseUpdate(request, route, queue, idOf(route));
    case 'deleteMessage':
      return { kind, queue, id: idOf(route), receipt: required(query, 'popreceipt') };
    case 'setServiceProperties':
      return { kind, change: parseServiceProperties(request.body) };
    case 'getServiceProperties':
    case 'getServiceStats':
      return { kind };
    case 'deleteQueue':
    case 'getQueueMetadata':
    case 'getQueueAcl':
    case 'clearMessages':
      return { kind, queue };
  }
}

const idOf = ({ resource }: QueueRoute): string => (resource.kind === 'message' ? resource.id : '');
