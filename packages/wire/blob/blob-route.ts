// The targets of the Blob service as values, their grammar, and which operation a request is: from its method, its resource, its query and its
// headers alone, so that the caller's rights are checked before what they sent (protocol: blob-requests#paths). Names are checked later, after
// authentication.
import { BlobError, type OperationKind } from '#blobs';
import { decode, parseStorageQuery, type ServiceRoute, type TargetGrammar } from '../shared/target.js';

export type BlobResource =
  /** A path without a resource; it is refused after authentication. */
  | { readonly kind: 'invalid' }
  | { readonly kind: 'service' }
  /** One segment: a container, or a blob of the root container unless the query names a container. */
  | { readonly kind: 'container'; readonly container: string }
  | { readonly kind: 'blob'; readonly container: string; readonly blob: string };

/** Parameters of the query are known by names in lower case; of a name given twice, the values are joined by commas, in order. */
export type BlobRoute = ServiceRoute<BlobResource>;

/** The container of blobs whose path names none (protocol: blob-requests#paths). */
const ROOT_CONTAINER = '$root';

/** The container or the blob that is meant; both are empty where there is none. */
export interface BlobAddress {
  readonly container: string;
  /** Empty for a container. */
  readonly blob: string;
}

const CONTAINER_TYPES: ReadonlySet<string> = new Set(['container', 'account']);

/** A path of one segment is a container if the query has `restype=container` or `account`. */
export function blobAddressOf({ resource, query }: Pick<BlobRoute, 'resource' | 'query'>): BlobAddress {
  switch (resource.kind) {
    case 'blob':
      return { container: resource.container, blob: resource.blob };
    case 'container': {
      const isContainer = CONTAINER_TYPES.has(query.get('restype')?.toLowerCase() ?? '');
      return isContainer
        ? { container: resource.container, blob: '' }
        : { container: ROOT_CONTAINER, blob: resource.container };
    }
    case 'invalid':
    case 'service':
      return { container: '', blob: '' };
  }
}

/** As shared access signatures name it: `container`, or `container/blob`. */
export function signedNameOf({ container, blob }: BlobAddress): string {
  return blob === '' ? container : `${container}/${blob}`;
}

/**
 * `path` begins without a slash. The first slash ends the container; all that follows, decoded once, is the blob: slashes that are escaped are
 * those that are not. A backslash is a slash in a blob's name, as the clients take it for when they sign; nothing else is normalized.
 */
function parseResource(path: string): BlobResource {
  if (path === '') return { kind: 'service' };
  const slash = path.indexOf('/');
  const container = decode(slash < 0 ? path : path.slice(0, slash));
  if (container === '') return { kind: 'invalid' };
  const blob = slash < 0 ? '' : decode(path.slice(slash + 1)).replaceAll('\\', '/');
  return blob === '' ? { kind: 'container', container } : { kind: 'blob', container, blob };
}

export const BLOB_GRAMMAR: TargetGrammar<BlobResource> = { parseQuery: parseStorageQuery, parseResource };

/** Those of the domain, and what has no data of its own. */
export type BlobOperationKind =
  | OperationKind
  | 'getAccountInformation'
  | 'getUserDelegationKey'
  | 'submitBatch';

type Headers = Readonly<Record<string, string | undefined>>;
/** The operation of a verb, or what the headers make of it. */
type Verbs = Readonly<Partial<Record<string, BlobOperationKind | ((headers: Headers) => BlobOperationKind)>>>;

const isCopy = (headers: Headers): boolean => headers['x-ms-copy-source'] !== undefined;
const missing = (name: string): BlobError => new BlobError('MissingRequiredHeader', { name });

const reads = (kind: BlobOperationKind): Verbs => ({ GET: kind, HEAD: kind });
const fromUrl = (kind: BlobOperationKind, copy: BlobOperationKind): Verbs => ({
  PUT: headers => (isCopy(headers) ? copy : kind),
});

function putKind(headers: Headers): BlobOperationKind {
  const type = headers['x-ms-blob-type'];
  if (isCopy(headers)) return type === undefined ? 'copyBlob' : 'putBlobFromUrl';
  switch (type?.toLowerCase()) {
    case 'blockblob':
      return 'putBlockBlob';
    case 'appendblob':
      return 'putAppendBlob';
    case 'pageblob':
      return 'putPageBlob';
    case undefined:
      throw missing('x-ms-blob-type');
    default:
      throw new BlobError('InvalidHeaderValue', { name: 'x-ms-blob-type', value: type ?? '' });
  }
}

function pageKind(headers: Headers): BlobOperationKind {
  if (isCopy(headers)) return 'putPagesFromUrl';
  const write = headers['x-ms-page-write'];
  switch (write?.toLowerCase()) {
    case 'update':
      return 'putPages';
    case 'clear':
      return 'clearPages';
    case undefined:
      throw missing('x-ms-page-write');
    default:
      throw new BlobError('InvalidHeaderValue', { name: 'x-ms-page-write', value: write ?? '' });
  }
}

/** Blobs of other accounts can expire (recorded). */
function ofHierarchies(): never {
  throw new BlobError('HierarchicalNamespaceNotEnabled');
}

/** There are no deleted containers, of whatever name and version (recorded for the headers). */
function undeleteKind(headers: Headers): never {
  for (const name of ['x-ms-deleted-container-name', 'x-ms-deleted-container-version'])
    if (!headers[name]) throw missing(name);
  throw new BlobError('ContainerNotFound');
}

const ACCOUNT: Verbs = reads('getAccountInformation');
const BATCH: Verbs = { POST: 'submitBatch' };

/** By `comp`, which is empty where there is none. */
type Table = ReadonlyMap<string, Verbs>;

const SERVICE: Table = new Map<string, Verbs>([
  ['list', { GET: 'listContainers' }],
  ['blobs', { GET: 'findBlobsByTags' }],
  ['batch', BATCH],
]);
/** With `restype=service`. */
const SETTINGS: Table = new Map<string, Verbs>([
  ['properties', { GET: 'getServiceProperties', PUT: 'setServiceProperties' }],
  ['stats', { GET: 'getServiceStats' }],
  ['userdelegationkey', { POST: 'getUserDelegationKey' }],
]);
/** With `restype=container`. */
const CONTAINER: Table = new Map<string, Verbs>([
  ['', { ...reads('getContainerProperties'), PUT: 'createContainer', DELETE: 'deleteContainer' }],
  ['metadata', { ...reads('getContainerMetadata'), PUT: 'setContainerMetadata' }],
  ['acl', { ...reads('getContainerAcl'), PUT: 'setContainerAcl' }],
  ['lease', { PUT: 'leaseContainer' }],
  ['list', { GET: 'listBlobs' }],
  ['blobs', { GET: 'findBlobsByTags' }],
  ['batch', BATCH],
  ['undelete', { PUT: undeleteKind }],
]);
const BLOB: Table = new Map<string, Verbs>([
  ['', { GET: 'getBlob', HEAD: 'getBlobProperties', PUT: putKind, DELETE: 'deleteBlob' }],
  ['block', fromUrl('putBlock', 'putBlockFromUrl')],
  ['blocklist', { GET: 'getBlockList', PUT: 'putBlockList' }],
  ['appendblock', fromUrl('appendBlock', 'appendBlockFromUrl')],
  ['seal', { PUT: 'sealBlob' }],
  ['page', { PUT: pageKind }],
  ['pagelist', { GET: 'getPageRanges' }],
  ['properties', { PUT: 'setBlobProperties' }],
  ['metadata', { ...reads('getBlobMetadata'), PUT: 'setBlobMetadata' }],
  ['lease', { PUT: 'leaseBlob' }],
  ['snapshot', { PUT: 'snapshotBlob' }],
  ['copy', { PUT: 'abortCopy' }],
  ['tier', { PUT: 'setTier' }],
  ['tags', { GET: 'getTags', PUT: 'setTags' }],
  ['expiry', { PUT: ofHierarchies }],
]);

const badParameter = (name: string, value: string | undefined): BlobError =>
  value === undefined
    ? new BlobError('MissingRequiredQueryParameter', { name })
    : new BlobError('InvalidQueryParameterValue', { name, value });

interface Asked {
  readonly method: string;
  readonly headers: Headers;
}

function byVerb(verbs: Verbs, { method, headers }: Asked): BlobOperationKind {
  const found = Object.hasOwn(verbs, method) ? verbs[method] : undefined;
  if (found === undefined) throw new BlobError('UnsupportedHttpVerb');
  return typeof found === 'string' ? found : found(headers);
}

function byComp(table: Table, { query }: BlobRoute, asked: Asked): BlobOperationKind {
  const comp = query.get('comp');
  const verbs = table.get(comp?.toLowerCase() ?? '');
  if (verbs === undefined) throw badParameter('comp', comp);
  return byVerb(verbs, asked);
}

function settingsKind(route: BlobRoute, asked: Asked): BlobOperationKind {
  const kind = byComp(SETTINGS, route, asked);
  // Stats exist on the secondary endpoint only.
  if (kind === 'getServiceStats' && !route.secondary) throw badParameter('comp', route.query.get('comp'));
  return kind;
}

function serviceKind(route: BlobRoute, asked: Asked): BlobOperationKind {
  const { query } = route;
  const restype = query.get('restype');
  if (restype?.toLowerCase() === 'service') return settingsKind(route, asked);
  if (restype?.toLowerCase() === 'container') {
    const comp = query.get('comp') ?? '';
    if (comp.toLowerCase() === 'undelete') return byComp(CONTAINER, route, asked);
    // Containers have names (recorded).
    if (comp === '')
      throw new BlobError('InvalidQueryParameterValue', { name: 'comp', value: '', reason: '' });
  }
  if (SETTINGS.has(query.get('comp')?.toLowerCase() ?? '')) throw badParameter('restype', restype);
  return byComp(SERVICE, route, asked);
}

/** @throws BlobError where the resource does not exist or has no such operation. */
export function blobOperationKind(asked: Asked, route: BlobRoute): BlobOperationKind {
  const { query, resource } = route;
  if (resource.kind === 'invalid') throw new BlobError('InvalidUri');
  const restype = query.get('restype')?.toLowerCase();
  if (restype === 'account') {
    const comp = query.get('comp');
    // Otherwise a request on the account would change the container that its path names.
    if (comp?.toLowerCase() !== 'properties') throw badParameter('comp', comp);
    return byVerb(ACCOUNT, asked);
  }
  if (resource.kind === 'service') return serviceKind(route, asked);
  // How clients of hierarchical namespaces ask whether there is one.
  if (query.has('action')) throw badParameter('action', query.get('action'));
  if (blobAddressOf(route).blob !== '') return byComp(BLOB, route, asked);
  return byComp(CONTAINER, route, asked);
}
