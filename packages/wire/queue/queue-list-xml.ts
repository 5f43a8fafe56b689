// The document of List Queues (protocol: queues#list).
import type { Metadata } from '#account';
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

const element = (name: string, text: string | undefined): string =>
  text === undefined || text === '' ? '' : `<${name}>${escapeXmlText(text)}</${name}>`;

function formatMetadata(metadata: Metadata): string {
  if (metadata.length === 0) return '<Metadata />';
  const items = metadata.map(({ name, value }) => element(name, value) || `<${name} />`);
  return `<Metadata>${items.join('')}</Metadata>`;
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
    element('Prefix', prefix) + element('Marker', marker) + element('MaxResults', pageSize?.toString());
  const entries = queues.map(
    ({ name, metadata }) =>
      `<Queue><Name>${escapeXmlText(name)}</Name>${metadata ? formatMetadata(metadata) : ''}</Queue>`,
  );
  const list = entries.length === 0 ? '<Queues />' : `<Queues>${entries.join('')}</Queues>`;
  const next = element('NextMarker', nextMarker) || '<NextMarker />';
  const place = escapeXmlText(endpoint).replaceAll('"', '&quot;');
  return `${XML_HEAD}<EnumerationResults ServiceEndpoint="${place}">${asked}${list}${next}</EnumerationResults>`;
}
