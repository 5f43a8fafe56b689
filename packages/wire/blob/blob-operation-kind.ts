// Which operation of the Blob service a request is, from its method, its resource, its query and its headers alone: known before the body
// is read, so that the caller's rights are checked before what they sent (protocol: blob-requests#paths).
import { BlobError, type OperationKind } from '#blobs';
import { type BlobRoute, blobAddressOf } from './blob-route.js';

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
