// Renders outcomes of the Queue service: status, document and the facts of the headers (protocol: service-properties,
// queues, messages).

import type { Metadata } from '#account';
import { formatHttpDate, type WireResponse } from '#base';
import type { Outcome } from '#queues';
import { formatIdentifiers } from '../shared/access-policy-xml.js';
import type { Exchange, Header } from '../shared/answer.js';
import { formatServiceProperties, formatServiceStats } from '../shared/service-properties-xml.js';
import {
  formatMetadata,
  includes,
  type StorageAnswer,
  storageAnswer,
  storageHeaders,
} from '../shared/storage-exchange.js';
import { askedElements, documentText, formatListMetadata, listDocument } from '../shared/storage-list-xml.js';
import { escapeXmlText, XML_HEAD } from '../shared/xml.js';
import { pageSizeOf } from './parse-queue-operation.js';
import type { QueueRoute } from './queue-route.js';

type QueueAnswer = StorageAnswer<string>;

export const formatQueueResponse = (answer: QueueAnswer, exchange: Exchange): WireResponse => ({
  status: answer.status,
  reason: answer.reason,
  headers: storageHeaders(answer, exchange, 'Shelfmark-Queue/1.0'),
  body: answer.body,
});

const done = (status: number, more: readonly Header[] = []): QueueAnswer => storageAnswer(status, { more });
const shown = (body: string): QueueAnswer => storageAnswer(200, { body, isRead: true });

/** Undefined members are left out. Times are ticks. */
export interface ShownMessage {
  readonly id: string;
  readonly inserted: bigint;
  readonly expires: bigint;
  readonly receipt: string | undefined;
  readonly visible: bigint | undefined;
  readonly dequeueCount: number | undefined;
  readonly text: string | undefined;
}

function formatMessage({
  id,
  inserted,
  expires,
  receipt,
  visible,
  dequeueCount,
  text,
}: ShownMessage): string {
  let fields = `<MessageId>${id}</MessageId><InsertionTime>${formatHttpDate(inserted)}</InsertionTime>`;
  fields += `<ExpirationTime>${formatHttpDate(expires)}</ExpirationTime>`;
  if (receipt !== undefined) fields += `<PopReceipt>${receipt}</PopReceipt>`;
  if (visible !== undefined) fields += `<TimeNextVisible>${formatHttpDate(visible)}</TimeNextVisible>`;
  if (dequeueCount !== undefined) fields += `<DequeueCount>${dequeueCount}</DequeueCount>`;
  if (text !== undefined)
    fields += text === '' ? '<MessageText />' : `<MessageText>${escapeXmlText(text)}</MessageText>`;
  return `<QueueMessage>${fields}</QueueMessage>`;
}

/** Starts with a byte order mark. */
export function formatMessages(messages: readonly ShownMessage[]): string {
  if (messages.length === 0) return `${XML_HEAD}<QueueMessagesList />`;
  return `${XML_HEAD}<QueueMessagesList>${messages.map(formatMessage).join('')}</QueueMessagesList>`;
}

/** The members that a put returns: the caller knows the text, and the dequeue count is 0. */
const NOT_SHOWN = { dequeueCount: undefined, text: undefined };
/** A peek leases nothing, so it returns no receipt. */
const NOT_HELD = { receipt: undefined, visible: undefined };

function metadataHeaders(metadata: Metadata, approximateCount: number): readonly Header[] {
  const count: Header = ['x-ms-approximate-messages-count', String(approximateCount)];
  return [count, ...formatMetadata(metadata)];
}

function listBody({ queues, next }: Extract<Outcome, { kind: 'queues' }>, route: QueueRoute): string {
  const { query, account, endpoint } = route;
  const isMetadataAsked = includes(query, 'metadata');
  const list = listDocument({
    name: 'Queues',
    endpoint,
    asked: askedElements(query, pageSizeOf(query)),
    entries: queues,
    format: ({ name, metadata }) =>
      `<Queue><Name>${escapeXmlText(name)}</Name>${isMetadataAsked ? formatListMetadata(metadata) : ''}</Queue>`,
    nextMarker: next === undefined ? undefined : `/${account}/${next}`,
  });
  return documentText(list);
}

export function formatQueueOutcome(outcome: Outcome, route: QueueRoute): QueueAnswer {
  switch (outcome.kind) {
    case 'queues':
      return shown(listBody(outcome, route));
    case 'queueCreated':
      return done(201);
    case 'queueMetadata':
      return storageAnswer(200, {
        isRead: true,
        more: metadataHeaders(outcome.metadata, outcome.approximateCount),
      });
    case 'acl':
      return shown(formatIdentifiers(outcome.identifiers));
    case 'messagePut':
      return storageAnswer(201, { body: formatMessages([{ ...outcome.message, ...NOT_SHOWN }]) });
    case 'messages':
      return shown(formatMessages(outcome.messages));
    case 'messagesPeeked':
      return shown(formatMessages(outcome.messages.map(message => ({ ...message, ...NOT_HELD }))));
    case 'messageUpdated':
      return done(204, [
        ['x-ms-popreceipt', outcome.receipt],
        ['x-ms-time-next-visible', formatHttpDate(outcome.visible)],
      ]);
    case 'serviceProperties':
      return shown(formatServiceProperties(outcome.properties));
    case 'servicePropertiesSet':
      return done(202);
    case 'serviceStats':
      return shown(formatServiceStats(outcome.lastSync));
    case 'queueExisted':
    case 'queueDeleted':
    case 'queueMetadataSet':
    case 'aclSet':
    case 'messageDeleted':
    case 'messagesCleared':
      return done(204);
  }
}
