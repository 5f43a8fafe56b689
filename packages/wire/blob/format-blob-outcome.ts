// Renders outcomes of the Blob service: status, document or content, and the facts of the headers (protocol: blob-requests#answers).
import { formatDateTimeFull, type StreamedResponse, type WireResponse } from '#base';
import type { Outcome, SeenContainer } from '#blobs';
import { formatIdentifiers } from '../shared/access-policy-xml.js';
import type { Exchange, Header } from '../shared/answer.js';
import {
  documentBytes,
  documentText,
  ENTRIES_A_SLICE,
  type EntriesDocument,
} from '../shared/long-document.js';
import { formatServiceStats } from '../shared/service-stats-xml.js';
import { type StorageAnswer, storageAnswer, storageHeaders } from '../shared/storage-answer.js';
import { formatMetadata, includes } from '../shared/storage-parameters.js';
import {
  addWholeDigest,
  blobHeaders,
  contentFacts,
  digestHeaders,
  encrypted,
  type Overrides,
  stampHeaders,
} from './blob-headers.js';
import type { BlobRoute } from './blob-route.js';
import { blobMarker, foundMarker, includedOf, pageSizeOf } from './request/markers.js';
import { formatTags } from './request/tags.js';
import { blobListDocument, foundBlobsDocument } from './xml/blob-list-xml.js';
import { formatBlobServiceProperties } from './xml/blob-service-properties-xml.js';
import { formatBlockList, formatPageList } from './xml/block-list-xml.js';
import { formatContainerList, VERSIONED_HOLDS_VERSION } from './xml/container-list-xml.js';
import { leaseHeaders } from './xml/lease-elements.js';

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

const LEASED = { acquire: 201, renew: 200, change: 200, release: 200, break: 202 } as const;
const VERSIONED_HOLDS: readonly Header[] = [['x-ms-immutable-storage-with-versioning-enabled', 'false']];
const IN_COPY: readonly Header[] = [['x-ms-copy-status', 'success']];

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
  return done(200, stampHeaders(stamp), [
    ...formatMetadata(metadata),
    ...leaseHeaders(lease),
    ...accessHeaders(publicAccess),
    ['x-ms-has-immutability-policy', 'false'],
    ['x-ms-has-legal-hold', 'false'],
    ...(version >= VERSIONED_HOLDS_VERSION ? VERSIONED_HOLDS : []),
  ]);
}

function containersAnswer({ containers, next }: Of<'containers'>, { route, version }: Shown): StorageAnswer {
  const { query, account, endpoint } = route;
  return document(
    formatContainerList({
      endpoint: `${endpoint}/`,
      prefix: query.get('prefix'),
      marker: query.get('marker'),
      pageSize: pageSizeOf(query),
      containers,
      withMetadata: includes(query, 'metadata'),
      version,
      nextMarker: next === undefined ? undefined : `/${account}/${next}`,
    }),
  );
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

function blocksAnswer(outcome: Of<'blocks'>): StorageAnswer {
  const { committedBlob } = outcome;
  if (committedBlob === undefined) return document(formatBlockList(outcome));
  const length: Header = ['x-ms-blob-content-length', String(committedBlob.length)];
  return document(formatBlockList(outcome), stampHeaders(committedBlob.stamp), [length]);
}

function appendedAnswer({ stamp, digests, offset, blocks }: Of<'appended'>, version: string): StorageAnswer {
  const more: readonly Header[] = [
    ['x-ms-blob-append-offset', String(offset)],
    ['x-ms-blob-committed-block-count', String(blocks)],
    encrypted(),
  ];
  return done(201, [...digestHeaders(digests, version), ...stampHeaders(stamp)], more);
}

function sequenceHeaders(number: bigint | undefined): readonly Header[] {
  return number === undefined ? [] : [['x-ms-blob-sequence-number', String(number)]];
}

/** The outcomes of writes of contents. */
function formatWrite(
  outcome: Of<'blobPut' | 'blockPut' | 'appended' | 'sealed' | 'pagesPut' | 'copied'>,
  version: string,
): StorageAnswer {
  switch (outcome.kind) {
    case 'blobPut':
      return done(
        201,
        [...digestHeaders(outcome.digests, version), ...stampHeaders(outcome.stamp)],
        [encrypted()],
      );
    case 'blockPut':
      return done(201, digestHeaders(outcome.digests, version), [encrypted()]);
    case 'appended':
      return appendedAnswer(outcome, version);
    case 'sealed':
      return done(200, stampHeaders(outcome.stamp), [['x-ms-blob-sealed', 'true']]);
    case 'pagesPut':
      return done(
        201,
        [...digestHeaders(outcome.digests, version), ...stampHeaders(outcome.stamp)],
        [...sequenceHeaders(outcome.sequenceNumber), encrypted()],
      );
    case 'copied':
      return done(
        202,
        [...digestHeaders(outcome.digests, version), ...stampHeaders(outcome.stamp)],
        [['x-ms-copy-id', outcome.copyId], ...IN_COPY],
      );
  }
}

/** The outcomes of operations on the service and on containers. */
function formatContainers(
  outcome: Of<
    | 'containers'
    | 'containerCreated'
    | 'containerDeleted'
    | 'container'
    | 'containerMetadata'
    | 'containerSet'
    | 'acl'
    | 'blobs'
    | 'found'
    | 'serviceProperties'
    | 'servicePropertiesSet'
    | 'serviceStats'
  >,
  shown: Shown,
): StorageAnswer {
  switch (outcome.kind) {
    case 'containers':
      return containersAnswer(outcome, shown);
    case 'containerCreated':
      return done(201, stampHeaders(outcome.stamp));
    case 'containerDeleted':
    case 'servicePropertiesSet':
      return done(202);
    case 'container':
      return containerAnswer(outcome, shown.version);
    case 'containerMetadata':
      return done(200, stampHeaders(outcome.stamp), formatMetadata(outcome.metadata));
    case 'containerSet':
      return done(200, stampHeaders(outcome.stamp));
    case 'acl':
      return document(
        formatIdentifiers(outcome.identifiers),
        stampHeaders(outcome.stamp),
        accessHeaders(outcome.publicAccess),
      );
    case 'blobs':
    case 'found':
      return formatBlobLists(outcome, shown.route, shown.version);
    case 'serviceProperties':
      return document(formatBlobServiceProperties(outcome.properties, shown.version));
    case 'serviceStats':
      return document(formatServiceStats(outcome.lastSync));
  }
}

export function formatBlobOutcome(outcome: Outcome, shown: Shown): StorageAnswer {
  const { version } = shown;
  switch (outcome.kind) {
    case 'leased':
      return leasedAnswer(outcome);
    case 'blobContent':
      return contentAnswer(outcome, shown);
    case 'blobProperties':
      return propertiesAnswer(outcome, shown);
    case 'blocks':
      return blocksAnswer(outcome);
    case 'pageRanges': {
      const length: Header = ['x-ms-blob-content-length', String(outcome.length)];
      return document(formatPageList(outcome), stampHeaders(outcome.stamp), [length]);
    }
    case 'blobMetadata':
      return done(200, stampHeaders(outcome.stamp), formatMetadata(outcome.metadata));
    case 'blobPropertiesSet':
      return done(200, stampHeaders(outcome.stamp), sequenceHeaders(outcome.sequenceNumber));
    case 'blobMetadataSet':
      return done(200, stampHeaders(outcome.stamp), [encrypted()]);
    case 'snapshotTaken':
      return done(201, stampHeaders(outcome.stamp), [
        ['x-ms-snapshot', formatDateTimeFull(outcome.snapshot)],
        encrypted(false),
      ]);
    case 'blobDeleted':
      return done(202, [], [['x-ms-delete-type-permanent', 'true']]);
    case 'copyAborted':
    case 'tagsSet':
      return done(204);
    case 'tierSet':
      return done(200);
    case 'tags':
      return document(formatTags(outcome.tags));
    case 'blobPut':
    case 'blockPut':
    case 'appended':
    case 'sealed':
    case 'pagesPut':
    case 'copied':
      return formatWrite(outcome, version);
    default:
      return formatContainers(outcome, shown);
  }
}

export type BlobsFound = Extract<Outcome, { kind: 'blobs' | 'found' }>;

const DOCUMENT = { contentType: 'application/xml' } as const;

const entriesOf = (outcome: BlobsFound): readonly unknown[] =>
  outcome.kind === 'blobs' ? outcome.entries : outcome.blobs;

/** Such lists of blobs are written while others go on (protocol: blob-requests#lists). */
export const isLongList = (outcome: Outcome): outcome is BlobsFound =>
  (outcome.kind === 'blobs' || outcome.kind === 'found') && entriesOf(outcome).length > ENTRIES_A_SLICE;

/** `render` is what becomes of the document, whatever its entries are. */
function rendered<T>(
  outcome: BlobsFound,
  { query, endpoint, resource }: BlobRoute,
  version: string,
  render: <Entry>(document: EntriesDocument<Entry>) => T,
): T {
  if (outcome.kind === 'found') {
    const { blobs, next } = outcome;
    const where = query.get('where') ?? '';
    const nextMarker = next && foundMarker(next);
    return render(foundBlobsDocument({ endpoint: `${endpoint}/`, where, blobs, nextMarker }));
  }
  const { entries, next } = outcome;
  return render(
    blobListDocument({
      endpoint: `${endpoint}/`,
      container: 'container' in resource ? resource.container : '',
      prefix: query.get('prefix'),
      marker: query.get('marker'),
      pageSize: pageSizeOf(query),
      delimiter: query.get('delimiter'),
      entries,
      included: includedOf(query),
      version,
      nextMarker: next && blobMarker(next),
    }),
  );
}

export const formatBlobLists = (outcome: BlobsFound, route: BlobRoute, version: string): StorageAnswer =>
  storageAnswer(200, { ...DOCUMENT, body: rendered(outcome, route, version, documentText) });

/** The same answer. */
export const formatLongList = async (
  outcome: BlobsFound,
  route: BlobRoute,
  version: string,
): Promise<StorageAnswer> =>
  storageAnswer(200, { ...DOCUMENT, body: await rendered(outcome, route, version, documentBytes) });
