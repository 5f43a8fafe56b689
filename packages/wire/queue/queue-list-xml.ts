// The document of List Queues (protocol: queues#list).
import type { Metadata } from '#account';
import { attributeText, elementOf, elementOrEmpty, formatListMetadata } from '../shared/storage-list-xml.js';
import { escapeXmlText, XML_HEAD } from '../shared/xml.js';

/** The request's parameters are repeated where they were given. */
export interface ListedQueues {
  /** As in `http://127.0.0.1:10001/devstoreaccount1/`. */
  readonly endpoint: string;
  readonly prefix: string | undefined;
  readonly marker: string | undefined;
  readonly pageSize: number | undefined;
  /** Metadata is undefined where it was not asked for. */
  readonly queues: readonly { readonly name: string; readonly metadata: Metadata | undefined }[];
  /** The name at which the next page begins. */
  readonly nextMarker: string | undefined;
}

/** Starts with a byte order mark. */
export function formatQueueList({
  endpoint,
  prefix,
  marker,
  pageSize,
  queues,
  nextMarker,
}: ListedQueues): string {
  const asked =
    elementOf('Prefix', prefix) + elementOf('Marker', marker) + elementOf('MaxResults', pageSize?.toString());
  const entries = queues.map(
    ({ name, metadata }) =>
      `<Queue><Name>${escapeXmlText(name)}</Name>${metadata ? formatListMetadata(metadata) : ''}</Queue>`,
  );
  const list = entries.length === 0 ? '<Queues />' : `<Queues>${entries.join('')}</Queues>`;
  const next = elementOrEmpty('NextMarker', nextMarker);
  return `${XML_HEAD}<EnumerationResults ServiceEndpoint="${attributeText(endpoint)}">${asked}${list}${next}</EnumerationResults>`;
}
