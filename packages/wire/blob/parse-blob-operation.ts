// Parses a request to the Blob service whose kind is known into an operation: one table of all operations, in which each member of an operation
// has the function that reads it from headers, query or body, with its limits and refusals (protocol: blob-requests#paths). The functions for
// members that several operations have stand in request/.
import {
  BlobError,
  checkBlockId,
  type Operation,
  type OperationKind,
  type OperationOf,
  type Source,
  type SourceRange,
  type Upload,
} from '#blobs';
import { parseIdentifiers } from '../shared/access-policy-xml.js';
import { checkTimeout } from '../shared/storage-exchange.js';
import { type BlobRoute, blobAddressOf } from './blob-route.js';
import {
  appendBlockConditionsOf,
  appendConditionsOf,
  conditionsOf,
  containerConditionsOf,
  leaseIdOf,
  pageConditionsOf,
  readConditionsOf,
  sourceConditionsOf,
  tagsConditionOf,
  tagsConditionsOf,
  tierConditionsOf,
} from './request/conditions.js';
import {
  contentPropertiesOf,
  copiesTags,
  metadataIfSent,
  metadataOf,
  parseTags,
  propertiesOfBody,
  propertiesToSet,
  publicAccessOf,
  tagsOfHeader,
  tierNamed,
  tierOf,
  withType,
} from './request/content-headers.js';
import {
  bigOf,
  checkSupported,
  copyIdToAbort,
  flagOf,
  type Headers,
  invalidHeader,
  isSynchronous,
  leaseActionOf,
  lengthOfPages,
  md5Of,
  ofRootAlone,
  pageSpanOf,
  rangeOf,
  required,
  requiredParameter,
  sent,
  sequenceNumberOf,
  snapshotOf,
  snapshotsToDelete,
  sourceRangeOf,
  takesPropertiesOfSource,
  wholeHeader,
} from './request/header-values.js';
import {
  blobPosition,
  containerPosition,
  delimiterOf,
  foundPosition,
  includedOf,
  includesSnapshots,
  listedBlocks,
  rangePosition,
  topOf,
} from './request/markers.js';
import { parseTagQuery } from './request/tag-languages.js';
import {
  APPEND_LIMITS,
  BLOCK_LIMITS,
  checkLengthSent,
  checkNoBody,
  digestsSent,
  type IncomingBody,
  PAGES_LIMITS,
  PUT_BLOB_LIMITS,
  type UploadRules,
  uploadOf,
  WITHOUT_BODY,
} from './request/uploads.js';
import { parseBlobServiceProperties } from './xml/blob-service-properties-xml.js';
import { parseBlockList } from './xml/block-list-xml.js';

/** The source of a copy once it is known to be a blob of this server that the caller may read. */
export type CopySource = Omit<Source, 'conditions'>;

/** Of a request whose operation is known. */
export interface Asked {
  readonly headers: Headers;
  readonly route: BlobRoute;
  /** As it is echoed. */
  readonly version: string;
  /** Of the operations that have a document. */
  readonly body: Buffer;
  /** Of those that store a content. */
  readonly upload: IncomingBody | undefined;
  /** Of those that copy. */
  readonly source: CopySource | undefined;
}

type Fields<Kind extends OperationKind> = {
  readonly [Name in Exclude<keyof OperationOf<Kind>, 'kind'>]-?: (asked: Asked) => OperationOf<Kind>[Name];
};
/** Of two faults in one request that is refused which is read first. */
type Operations = { readonly [Kind in OperationKind]: Fields<Kind> };

/** Of policies of containers. */
const LETTERS = 'racwdxyltmeopfi';
const NOWHERE: CopySource = { account: '', container: '', blob: '', snapshot: undefined, url: '' };
const NO_BODY: IncomingBody = { length: 0, pieces: (async function* none() {})() };

const ofHeaders =
  <T>(read: (headers: Headers) => T) =>
  ({ headers }: Asked): T =>
    read(headers);
const ofQuery =
  <T>(read: (query: BlobRoute['query']) => T) =>
  ({ route }: Asked): T =>
    read(route.query);

const ON_CONTAINER = { container: ({ route }: Asked) => blobAddressOf(route).container };
const ON_CONTAINER_IF = { ...ON_CONTAINER, conditions: ofHeaders(containerConditionsOf) };
const ON_BLOB = { ...ON_CONTAINER, blob: ({ route }: Asked) => blobAddressOf(route).blob };
const ON_SNAPSHOT = { ...ON_BLOB, snapshot: ofQuery(query => snapshotOf(query)) };
const conditions = ofHeaders(conditionsOf);
const ON_SNAPSHOT_IF = { ...ON_SNAPSHOT, conditions };
const LEASE_AND_TAGS = {
  leaseId: ofHeaders(leaseIdOf),
  ifTags: ofHeaders(headers => tagsConditionOf(headers)),
};
const metadata = ofHeaders(metadataOf);
const top = ofQuery(topOf);
/** What a write of a whole blob sets besides its properties. */
const WHOLE = { metadata, tags: ofHeaders(tagsOfHeader), tier: ofHeaders(tierOf), conditions };
/** Where the body is the content. */
const OF_BODY = { properties: ofHeaders(propertiesOfBody), ...WHOLE };

const source = ({ headers, source: found = NOWHERE }: Asked): Source => ({
  ...found,
  conditions: sourceConditionsOf(headers),
});
const sourceDigests = ({ headers }: Asked) =>
  digestsSent(headers, 'x-ms-source-content-md5', 'x-ms-source-content-crc64');
const sourceRange = (asked: Asked): SourceRange => ({
  ...source(asked),
  range: sourceRangeOf(asked.headers),
  ...sourceDigests(asked),
});

const upload =
  (limits: UploadRules['limits'], mayBeEmpty: boolean) =>
  ({ headers, upload: body = NO_BODY, version }: Asked): Upload =>
    uploadOf(headers, body, { version, limits, mayBeEmpty });
const uploadOfBlob = upload(PUT_BLOB_LIMITS, true);
const uploadOfPages = upload(PAGES_LIMITS, true);

/** The digest of the property is compared with the body like Content-MD5, before which it goes. */
function wholeUpload(asked: Asked): Upload {
  const content = uploadOfBlob(asked);
  const md5 = md5Of(asked.headers, 'x-ms-blob-content-md5');
  return md5 === undefined ? content : { ...content, md5 };
}

const isOfSpan = ({ headers }: Asked, from: number, until: number | undefined): boolean => {
  const span = pageSpanOf(headers);
  return until !== undefined && until - from === span.until - span.from;
};

function pagesUpload(asked: Asked): Upload {
  const content = uploadOfPages(asked);
  if (!isOfSpan(asked, 0, content.length)) throw invalidHeader('Content-Length', String(content.length));
  return content;
}

function pagesSource(asked: Asked): SourceRange {
  const found = sourceRange(asked);
  if (!isOfSpan(asked, found.range.from, found.range.until))
    throw invalidHeader('x-ms-source-range', asked.headers['x-ms-source-range'] ?? '');
  return found;
}

const span = ofHeaders(pageSpanOf);
const pageConditions = ofHeaders(pageConditionsOf);
const appendConditions = ofHeaders(appendConditionsOf);
const prefix = ofQuery(query => query.get('prefix') ?? '');
const action = ofHeaders(leaseActionOf);

const ON_BLOCK = {
  ...ON_BLOB,
  id: ofQuery(query => {
    const id = requiredParameter(query, 'blockid');
    checkBlockId(id);
    return id;
  }),
  leaseId: ofHeaders(leaseIdOf),
};

const containerToSearch = ({ route: { resource } }: Asked): string | undefined =>
  'container' in resource ? resource.container : undefined;

const OPERATIONS: Operations = {
  listContainers: {
    prefix,
    from: ({ route: { query, account } }) => containerPosition(query, account),
    top,
  },
  createContainer: { ...ON_CONTAINER, metadata, publicAccess: ofHeaders(publicAccessOf) },
  deleteContainer: ON_CONTAINER_IF,
  getContainerProperties: ON_CONTAINER_IF,
  getContainerMetadata: ON_CONTAINER_IF,
  setContainerMetadata: { ...ON_CONTAINER_IF, metadata },
  getContainerAcl: ON_CONTAINER_IF,
  setContainerAcl: {
    ...ON_CONTAINER_IF,
    publicAccess: ofHeaders(publicAccessOf),
    identifiers: ({ body }) => parseIdentifiers(body, LETTERS),
  },
  leaseContainer: {
    ...ON_CONTAINER,
    // The id belongs to the action.
    conditions: ({ headers }) => ({ ...containerConditionsOf(headers), leaseId: undefined }),
    action,
  },
  listBlobs: {
    ...ON_CONTAINER,
    snapshots: ofQuery(includesSnapshots),
    uncommitted: ofQuery(query => includedOf(query).has('uncommittedblobs')),
    prefix,
    delimiter: ofQuery(delimiterOf),
    from: ofQuery(blobPosition),
    top,
  },
  findBlobsByTags: {
    where: asked =>
      parseTagQuery(requiredParameter(asked.route.query, 'where'), containerToSearch(asked) !== undefined),
    container: containerToSearch,
    from: ofQuery(foundPosition),
    top,
  },
  getServiceProperties: {},
  setServiceProperties: { change: ({ body }) => parseBlobServiceProperties(body) },
  getServiceStats: {},
  putBlockBlob: { ...ON_BLOB, ...OF_BODY, upload: wholeUpload },
  putAppendBlob: { ...ON_BLOB, ...OF_BODY },
  putPageBlob: {
    ...ON_BLOB,
    length: ofHeaders(lengthOfPages),
    ...OF_BODY,
    sequenceNumber: ({ headers }) => bigOf(headers, 'x-ms-blob-sequence-number') ?? 0n,
  },
  putBlobFromUrl: {
    ...ON_BLOB,
    // Where the request names no type, that of the source comes along.
    properties: asked =>
      takesPropertiesOfSource(asked.headers) ? contentPropertiesOf(asked.headers) : withType(asked.headers),
    ...WHOLE,
    source,
    md5: asked => sourceDigests(asked).md5,
    crc64: asked => sourceDigests(asked).crc64,
    propertiesOfSource: ofHeaders(takesPropertiesOfSource),
    tagsOfSource: ({ headers, version }) => copiesTags(headers, version),
  },
  putBlock: { ...ON_BLOCK, upload: upload(BLOCK_LIMITS, false) },
  putBlockFromUrl: { ...ON_BLOCK, source: sourceRange },
  putBlockList: {
    ...ON_BLOB,
    properties: ofHeaders(withType),
    ...WHOLE,
    blocks: ({ body }) => parseBlockList(body),
  },
  getBlockList: {
    committed: ofQuery(query => listedBlocks(query) !== 'uncommitted'),
    uncommitted: ofQuery(query => listedBlocks(query) !== 'committed'),
    ...ON_SNAPSHOT,
    ...LEASE_AND_TAGS,
  },
  appendBlock: {
    ...ON_BLOB,
    conditions: ofHeaders(appendBlockConditionsOf),
    upload: upload(APPEND_LIMITS, false),
  },
  appendBlockFromUrl: { ...ON_BLOB, conditions: appendConditions, source: sourceRange },
  sealBlob: { ...ON_BLOB, conditions: appendConditions },
  putPages: { ...ON_BLOB, span, upload: pagesUpload, conditions: pageConditions },
  clearPages: { ...ON_BLOB, span, conditions: pageConditions },
  putPagesFromUrl: { ...ON_BLOB, span, source: pagesSource, conditions: pageConditions },
  getPageRanges: {
    ...ON_SNAPSHOT_IF,
    range: ({ headers, version }) => rangeOf(headers, version),
    since: ofQuery(query => snapshotOf(query, 'prevsnapshot')),
    from: ofQuery(rangePosition),
    top,
  },
  getBlob: {
    ...ON_SNAPSHOT,
    conditions: ofHeaders(readConditionsOf),
    range: ({ headers, version }) => rangeOf(headers, version),
  },
  getBlobProperties: { ...ON_SNAPSHOT, conditions: ofHeaders(readConditionsOf) },
  setBlobProperties: {
    ...ON_BLOB,
    length: ({ headers }) => wholeHeader(headers, 'x-ms-blob-content-length'),
    sequenceNumber: ofHeaders(sequenceNumberOf),
    properties: ofHeaders(propertiesToSet),
    conditions,
  },
  getBlobMetadata: ON_SNAPSHOT_IF,
  setBlobMetadata: { ...ON_BLOB, metadata, conditions },
  snapshotBlob: { ...ON_BLOB, metadata: ofHeaders(metadataIfSent), conditions },
  deleteBlob: {
    ...ON_SNAPSHOT_IF,
    tierConditions: ofHeaders(tierConditionsOf),
    snapshots: ({ headers, route }) => snapshotsToDelete(headers, route.query),
  },
  leaseBlob: {
    ...ON_BLOB,
    action,
    conditions: ({ headers }) => ({ ...conditionsOf(headers), leaseId: undefined }),
  },
  copyBlob: {
    ...ON_BLOB,
    metadata: ofHeaders(metadataIfSent),
    isSynchronous: ofHeaders(isSynchronous),
    source,
    tags: ofHeaders(tagsOfHeader),
    tier: ofHeaders(tierOf),
    seal: ({ headers }) => (sent(headers, 'x-ms-seal-blob') ? flagOf(headers, 'x-ms-seal-blob') : undefined),
    tagsOfSource: asked => isSynchronous(asked.headers) && copiesTags(asked.headers, asked.version),
    md5: ({ headers }) => md5Of(headers, 'x-ms-source-content-md5'),
    conditions,
  },
  abortCopy: {
    ...ON_BLOB,
    copyId: ({ headers, route }) => copyIdToAbort(headers, route.query),
    leaseId: ofHeaders(leaseIdOf),
  },
  setTier: {
    ...ON_SNAPSHOT,
    tier: ({ headers }) => tierNamed(required(headers, 'x-ms-access-tier')),
    ...LEASE_AND_TAGS,
  },
  getTags: { ...ON_SNAPSHOT, conditions: ofHeaders(tagsConditionsOf) },
  setTags: { ...ON_BLOB, tags: ({ body }) => parseTags(body), conditions: ofHeaders(tagsConditionsOf) },
};

const kindsWith = (member: string): ReadonlySet<string> =>
  new Set(Object.entries(OPERATIONS).flatMap(([kind, fields]) => (member in fields ? [kind] : [])));

/** Operations with a source, which has to be found before they are parsed. */
export const COPIES = kindsWith('source');
/** Operations whose body, if they may have one, is stored as it comes and not collected. */
export const UPLOADS: ReadonlySet<string> = new Set(
  [...kindsWith('upload'), ...WITHOUT_BODY].filter(kind => !COPIES.has(kind)),
);
export const TAGGING = kindsWith('tags');

const FIELDS: ReadonlyMap<string, [name: string, read: (asked: Asked) => unknown][]> = new Map(
  Object.entries(OPERATIONS).map(([kind, fields]) => [kind, Object.entries(fields)]),
);

/** Written out for the most frequent kind: in a loop over its members it takes 0.14 us longer. */
const getBlobOf = (asked: Asked): OperationOf<'getBlob'> => ({
  kind: 'getBlob',
  container: OPERATIONS.getBlob.container(asked),
  blob: OPERATIONS.getBlob.blob(asked),
  snapshot: OPERATIONS.getBlob.snapshot(asked),
  conditions: OPERATIONS.getBlob.conditions(asked),
  range: OPERATIONS.getBlob.range(asked),
});

/** @throws BlobError or ServiceError for refusals before the container is read. */
export function parseBlobOperation(kind: OperationKind, asked: Asked): Operation {
  const { headers, route } = asked;
  const { query } = route;
  checkTimeout(query);
  checkSupported(headers);
  if (query.has('snapshot') && 'blob' in OPERATIONS[kind] && !('snapshot' in OPERATIONS[kind]))
    throw ofRootAlone(query);
  // There are no versions, so none has that id.
  if (query.has('versionid')) throw new BlobError('BlobNotFound');
  if (WITHOUT_BODY.has(kind)) checkNoBody(headers);
  if (kind === 'putBlockList') checkLengthSent(headers);
  if (kind === 'getBlob') return getBlobOf(asked);
  const operation: Record<string, unknown> = { kind };
  for (const [name, read] of FIELDS.get(kind) ?? []) operation[name] = read(asked);
  // The type of the table has every member of the kind.
  return operation as unknown as Operation;
}
