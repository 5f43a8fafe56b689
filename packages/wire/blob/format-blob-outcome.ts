// Renders outcomes of the Blob service: status, document or content, and the facts of the headers (protocol: blob-requests#answers).
import { formatDateTimeFull } from '#base';
import type { Outcome, SeenContainer } from '#blobs';
import { formatIdentifiers } from '../shared/access-policy-xml.js';
import type { Header } from '../shared/answer.js';
import { formatServiceStats } from '../shared/service-stats-xml.js';
import { formatMetadata, includes } from '../shared/storage-parameters.js';
import { type BlobAnswer, blobAnswer } from './blob-answer.js';
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
import { formatBlobLists } from './format-blob-lists.js';
import { pageSizeOf } from './request/page-size.js';
import { formatTags } from './request/tags.js';
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

/** Without a document. */
const done = (status: number, content: readonly Header[] = [], more: readonly Header[] = []): BlobAnswer =>
  blobAnswer(status, { content, more });

const document = (body: string, content: readonly Header[] = [], more: readonly Header[] = []): BlobAnswer =>
  // Documents come in chunks in Azure; their length is no harm.
  blobAnswer(200, { body, content, more });

const accessHeaders = (publicAccess: SeenContainer['publicAccess']): readonly Header[] =>
  publicAccess === 'private' ? [] : [['x-ms-blob-public-access', publicAccess]];

function containerAnswer({ container }: Of<'container'>, version: string): BlobAnswer {
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

function containersAnswer({ containers, next }: Of<'containers'>, { route, version }: Shown): BlobAnswer {
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

function leasedAnswer({ action, stamp, id, seconds }: Of<'leased'>): BlobAnswer {
  const more: Header[] = [];
  if (id !== undefined) more.push(['x-ms-lease-id', id]);
  if (seconds !== undefined) more.push(['x-ms-lease-time', String(seconds)]);
  return done(LEASED[action], stampHeaders(stamp), more);
}

function contentAnswer({ blob, range, content }: Of<'blobContent'>, shown: Shown): BlobAnswer {
  const { version, overrides, rangeDigests } = shown;
  const { type, headers } = contentFacts(blob, overrides, range);
  const more = blobHeaders(blob, version, true);
  if (range !== undefined) addWholeDigest(blob, version, more);
  return {
    status: range === undefined ? 200 : 206,
    reason: undefined,
    body: content,
    length: range === undefined ? blob.length : range.until - range.from,
    contentType: type,
    content: rangeDigests.length === 0 ? headers : [...headers, ...rangeDigests],
    more,
    errorCode: undefined,
    hidesVersion: false,
  };
}

function propertiesAnswer({ blob }: Of<'blobProperties'>, { version, overrides }: Shown): BlobAnswer {
  const { type, headers } = contentFacts(blob, overrides, undefined);
  return blobAnswer(200, {
    length: blob.length,
    contentType: type,
    content: headers,
    more: blobHeaders(blob, version, false),
  });
}

function blocksAnswer(outcome: Of<'blocks'>): BlobAnswer {
  const { committedBlob } = outcome;
  if (committedBlob === undefined) return document(formatBlockList(outcome));
  const length: Header = ['x-ms-blob-content-length', String(committedBlob.length)];
  return document(formatBlockList(outcome), stampHeaders(committedBlob.stamp), [length]);
}

function appendedAnswer({ stamp, digests, offset, blocks }: Of<'appended'>, version: string): BlobAnswer {
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
): BlobAnswer {
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
): BlobAnswer {
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

export function formatBlobOutcome(outcome: Outcome, shown: Shown): BlobAnswer {
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
