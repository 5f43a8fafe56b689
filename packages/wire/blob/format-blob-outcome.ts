// Renders outcomes of the Blob service: status, document or content, and the facts of the headers (protocol: blob-requests#answers).
import { formatDateTimeFull, formatHttpDate, type StreamedResponse, type WireResponse } from '#base';
import type { Digests, Outcome, SeenContainer, Stamp } from '#blobs';
import { formatIdentifiers } from '../shared/access-policy-xml.js';
import type { Exchange, Header } from '../shared/answer.js';
import { formatServiceStats } from '../shared/service-properties-xml.js';
import {
  formatMetadata,
  includes,
  type StorageAnswer,
  storageAnswer,
  storageHeaders,
} from '../shared/storage-exchange.js';
import {
  askedElements,
  documentBytes,
  documentText,
  elementOf,
  listDocument,
} from '../shared/storage-list-xml.js';
import { addWholeDigest, blobHeaders, contentFacts, type Overrides } from './blob-headers.js';
import type { BlobRoute } from './blob-route.js';
import { quotedEtag } from './request/conditions.js';
import { formatTags } from './request/content-headers.js';
import { blobMarker, foundMarker, includedOf, pageSizeOf } from './request/markers.js';
import {
  formatContainer,
  formatFoundBlob,
  formatListedBlob,
  VERSIONED_HOLDS_VERSION,
} from './xml/blob-list-xml.js';
import { formatBlobServiceProperties } from './xml/blob-service-properties-xml.js';
import { formatBlockList, formatPageList } from './xml/block-list-xml.js';
import { addLeaseHeaders } from './xml/lease-elements.js';

/** Facts of the request that decide how an outcome is shown. */
export interface Shown {
  readonly route: BlobRoute;
  /** As it is echoed. */
  readonly version: string;
  /** Of the signature that the request came with. */
  readonly overrides: Overrides | undefined;
  /** Digests of the part of a content that is sent, where they were asked for. */
  readonly rangeDigests: readonly Header[];
}

type Of<Kind extends Outcome['kind']> = Extract<Outcome, { kind: Kind }>;

const VERSION_OF_CRC64 = '2019-02-02';
const LEASED = { acquire: 201, renew: 200, change: 200, release: 200, break: 202 } as const;
const VERSIONED_HOLDS: Header = ['x-ms-immutable-storage-with-versioning-enabled', 'false'];

export function formatBlobResponse(
  answer: StorageAnswer,
  exchange: Exchange,
): WireResponse | StreamedResponse {
  const { status, reason, body } = answer;
  const headers = storageHeaders(answer, exchange, 'Shelfmark-Blob/1.0');
  // What is read while it is sent and what is there are two kinds of responses, written out alike: a spread costs a hidden class each time.
  return body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
    ? { status, reason, headers, body }
    : { status, reason, headers, body };
}

const stampHeaders = ({ etag, lastModified }: Stamp): readonly Header[] => [
  ['Last-Modified', formatHttpDate(lastModified)],
  ['ETag', quotedEtag(etag)],
];

/** Of what the request brought. */
function digestHeaders(digests: Digests | undefined, version: string): readonly Header[] {
  if (digests === undefined) return [];
  const headers: Header[] = [];
  if (digests.md5 !== undefined) headers.push(['Content-MD5', digests.md5.toString('base64')]);
  if (version >= VERSION_OF_CRC64) headers.push(['x-ms-content-crc64', digests.crc64.toString('base64')]);
  return headers;
}

const encrypted = (isIt = true): Header => ['x-ms-request-server-encrypted', String(isIt)];

/** Without a document. */
const done = (status: number, content: readonly Header[] = [], more: readonly Header[] = []): StorageAnswer =>
  storageAnswer(status, { content, more });

const document = (
  body: string,
  content: readonly Header[] = [],
  more: readonly Header[] = [],
): StorageAnswer =>
  // Documents come in chunks in Azure; their length is no harm.
  storageAnswer(200, { body, content, more });

const accessHeaders = (publicAccess: SeenContainer['publicAccess']): readonly Header[] =>
  publicAccess === 'private' ? [] : [['x-ms-blob-public-access', publicAccess]];

function containerAnswer({ container }: Of<'container'>, version: string): StorageAnswer {
  const { stamp, metadata, lease, publicAccess } = container;
  const more: Header[] = [...formatMetadata(metadata)];
  addLeaseHeaders(lease, more);
  more.push(
    ...accessHeaders(publicAccess),
    ['x-ms-has-immutability-policy', 'false'],
    ['x-ms-has-legal-hold', 'false'],
  );
  if (version >= VERSIONED_HOLDS_VERSION) more.push(VERSIONED_HOLDS);
  return done(200, stampHeaders(stamp), more);
}

function containersAnswer({ containers, next }: Of<'containers'>, { route, version }: Shown): StorageAnswer {
  const { query, account, endpoint } = route;
  const withMetadata = includes(query, 'metadata');
  const list = listDocument({
    name: 'Containers',
    endpoint,
    asked: askedElements(query, pageSizeOf(query)),
    entries: containers,
    format: container => formatContainer(container, withMetadata, version),
    nextMarker: next === undefined ? undefined : `/${account}/${next}`,
  });
  return document(documentText(list));
}

function leasedAnswer({ action, stamp, id, seconds }: Of<'leased'>): StorageAnswer {
  const more: Header[] = [];
  if (id !== undefined) more.push(['x-ms-lease-id', id]);
  if (seconds !== undefined) more.push(['x-ms-lease-time', String(seconds)]);
  return done(LEASED[action], stampHeaders(stamp), more);
}

function contentAnswer({ blob, range, content }: Of<'blobContent'>, shown: Shown): StorageAnswer {
  const { version, overrides, rangeDigests } = shown;
  const { type, headers } = contentFacts(blob, overrides, range);
  const more = blobHeaders(blob, version, true);
  if (range !== undefined) addWholeDigest(blob, version, more);
  return storageAnswer(range === undefined ? 200 : 206, {
    body: content,
    length: range === undefined ? blob.length : range.until - range.from,
    contentType: type,
    content: rangeDigests.length === 0 ? headers : [...headers, ...rangeDigests],
    more,
  });
}

function propertiesAnswer({ blob }: Of<'blobProperties'>, { version, overrides }: Shown): StorageAnswer {
  const { type, headers } = contentFacts(blob, overrides, undefined);
  return storageAnswer(200, {
    length: blob.length,
    contentType: type,
    content: headers,
    more: blobHeaders(blob, version, false),
  });
}

const lengthHeader = (length: number): Header => ['x-ms-blob-content-length', String(length)];

function blocksAnswer(outcome: Of<'blocks'>): StorageAnswer {
  const { committedBlob } = outcome;
  if (committedBlob === undefined) return document(formatBlockList(outcome));
  const { stamp, length } = committedBlob;
  return document(formatBlockList(outcome), stampHeaders(stamp), [lengthHeader(length)]);
}

const sequenceHeaders = (number: bigint | undefined): readonly Header[] =>
  number === undefined ? [] : [['x-ms-blob-sequence-number', String(number)]];

/** Of a content that was written. */
const written = (
  status: number,
  { digests, stamp }: { readonly digests: Digests | undefined; readonly stamp: Stamp },
  version: string,
  more: readonly Header[],
): StorageAnswer => done(status, [...digestHeaders(digests, version), ...stampHeaders(stamp)], more);

export type ListOfBlobs = Of<'blobs' | 'found'>;

export const isListOfBlobs = (outcome: Outcome): outcome is ListOfBlobs =>
  outcome.kind === 'blobs' || outcome.kind === 'found';

type Formats = {
  readonly [Kind in Exclude<Outcome['kind'], ListOfBlobs['kind']>]: (
    outcome: Of<Kind>,
    shown: Shown,
  ) => StorageAnswer;
};

const FORMATS: Formats = {
  containers: containersAnswer,
  containerCreated: ({ stamp }) => done(201, stampHeaders(stamp)),
  containerDeleted: () => done(202),
  container: (outcome, { version }) => containerAnswer(outcome, version),
  containerMetadata: ({ stamp, metadata }) => done(200, stampHeaders(stamp), formatMetadata(metadata)),
  containerSet: ({ stamp }) => done(200, stampHeaders(stamp)),
  acl: ({ stamp, identifiers, publicAccess }) =>
    document(formatIdentifiers(identifiers), stampHeaders(stamp), accessHeaders(publicAccess)),
  serviceProperties: ({ properties }, { version }) =>
    document(formatBlobServiceProperties(properties, version)),
  servicePropertiesSet: () => done(202),
  serviceStats: ({ lastSync }) => document(formatServiceStats(lastSync)),
  leased: leasedAnswer,
  blobContent: contentAnswer,
  blobProperties: propertiesAnswer,
  blocks: blocksAnswer,
  pageRanges: outcome =>
    document(formatPageList(outcome), stampHeaders(outcome.stamp), [lengthHeader(outcome.length)]),
  blobMetadata: ({ stamp, metadata }) => done(200, stampHeaders(stamp), formatMetadata(metadata)),
  blobPropertiesSet: ({ stamp, sequenceNumber }) =>
    done(200, stampHeaders(stamp), sequenceHeaders(sequenceNumber)),
  blobMetadataSet: ({ stamp }) => done(200, stampHeaders(stamp), [encrypted()]),
  snapshotTaken: ({ stamp, snapshot }) =>
    done(201, stampHeaders(stamp), [['x-ms-snapshot', formatDateTimeFull(snapshot)], encrypted(false)]),
  blobDeleted: () => done(202, [], [['x-ms-delete-type-permanent', 'true']]),
  tierSet: () => done(200),
  tags: ({ tags }) => document(formatTags(tags)),
  tagsSet: () => done(204),
  blobPut: (outcome, { version }) => written(201, outcome, version, [encrypted()]),
  blockPut: ({ digests }, { version }) => done(201, digestHeaders(digests, version), [encrypted()]),
  appended: (outcome, { version }) =>
    written(201, outcome, version, [
      ['x-ms-blob-append-offset', String(outcome.offset)],
      ['x-ms-blob-committed-block-count', String(outcome.blocks)],
      encrypted(),
    ]),
  sealed: ({ stamp }) => done(200, stampHeaders(stamp), [['x-ms-blob-sealed', 'true']]),
  pagesPut: (outcome, { version }) =>
    written(201, outcome, version, [...sequenceHeaders(outcome.sequenceNumber), encrypted()]),
  copied: (outcome, { version }) =>
    written(202, outcome, version, [
      ['x-ms-copy-id', outcome.copyId],
      ['x-ms-copy-status', 'success'],
    ]),
};

export const formatBlobOutcome = (outcome: Exclude<Outcome, ListOfBlobs>, shown: Shown): StorageAnswer =>
  (FORMATS[outcome.kind] as (outcome: Outcome, shown: Shown) => StorageAnswer)(outcome, shown);

/** Long ones are written while others go on (protocol: blob-requests#lists). */
export async function formatBlobList(
  outcome: ListOfBlobs,
  { query, endpoint, resource }: BlobRoute,
  version: string,
): Promise<StorageAnswer> {
  const list = { name: 'Blobs', endpoint };
  if (outcome.kind === 'found') {
    const { blobs: entries, next } = outcome;
    const asked = elementOf('Where', query.get('where'));
    const nextMarker = next && foundMarker(next);
    return ofList(
      await documentBytes(listDocument({ ...list, asked, entries, format: formatFoundBlob, nextMarker })),
    );
  }
  const { entries, next } = outcome;
  const shown = { included: includedOf(query), version };
  return ofList(
    await documentBytes(
      listDocument({
        ...list,
        container: 'container' in resource ? resource.container : '',
        asked: askedElements(query, pageSizeOf(query)) + elementOf('Delimiter', query.get('delimiter')),
        entries,
        format: entry => formatListedBlob(entry, shown),
        nextMarker: next && blobMarker(next),
      }),
    ),
  );
}

const ofList = (body: Buffer): StorageAnswer => storageAnswer(200, { contentType: 'application/xml', body });
