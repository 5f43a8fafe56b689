// Makes attempts to access blobs by a signature: mostly a right one or nearly so, often mutated after it was signed.

import type fc from 'fast-check';
import { below, chance, type Draw, drawn, from } from '../../random/arbitrary.js';
import { BLOB_KINDS, type BlobAsk, type BlobAskKind, delegatedBy, signedBlobText } from './blob-judge.js';
import { mac, type Presented } from './judge.js';
import { writings } from './mutate-token.js';
import { blobAccountToken, blobToken, type TokenFields } from './token.js';

export const CONTAINERS = ['one', 'two'] as const;
export const BLOBS = ['a', 'dir/a b', 'ü%'] as const;
export const LOG = 'log';

export interface DelegationKey {
  readonly fields: ReadonlyMap<string, string>;
  readonly value: Buffer;
}

export interface BlobSecrets {
  readonly account: string;
  readonly keys: readonly Buffer[];
  readonly delegated: readonly DelegationKey[];
  /** The snapshot of the first blob in the first container. */
  readonly snapshot: string;
}

interface BlobAttempt {
  readonly ask: BlobAsk;
  readonly caller: Presented;
  readonly body: string;
}

const NEVER: readonly BlobAskKind[] = ['createContainer', 'listContainers', 'getService', 'getAcl'];
const READS: readonly BlobAskKind[] = ['get', 'head', 'getMetadata', 'getTags'];

function someAsk(draw: Draw): BlobAsk {
  const kind = draw(from(BLOB_KINDS));
  const isOfService = kind === 'listContainers' || kind === 'getService';
  const isOfContainer = kind === 'list' || /Container$|Acl$|ContainerMetadata$/.test(kind);
  const container = kind === 'deleteContainer' ? 'missing' : draw(from(CONTAINERS));
  const isNew = kind.startsWith('putNew') || kind === 'putBlockNew' || kind === 'delete';
  const named = isNew ? `new-${draw(below(1e9))}` : kind === 'append' ? LOG : draw(from(BLOBS));
  return { kind, container: isOfService ? '' : container, blob: isOfService || isOfContainer ? '' : named };
}

type Fields = Map<string, string>;

/** Sometimes the resource of another container or blob. */
function signedResource(draw: Draw, { container, blob }: BlobAsk, fields: Fields): string {
  const inside = draw(chance(93)) ? container : draw(from(CONTAINERS));
  const name = draw(chance(93)) ? blob : draw(from(BLOBS));
  return fields.get('sr') === 'c' ? inside : `${inside}/${name}`;
}

function sign(draw: Draw, secrets: BlobSecrets, ask: BlobAsk, fields: Fields): void {
  const own = secrets.delegated.find(key => delegatedBy(key.fields) === delegatedBy(fields));
  const key = own?.value ?? draw(from(secrets.keys));
  const text = signedBlobText(fields, secrets.account, signedResource(draw, ask, fields));
  fields.set('sig', mac(key, text).toString('base64'));
}

const XML = '<?xml version="1.0"?><Tags><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tags>';
const BLOCK = { 'x-ms-blob-type': 'BlockBlob' };

type Wire = readonly [
  method: string,
  query: string,
  headers?: Readonly<Record<string, string>>,
  body?: string,
];

const REQUESTS: Readonly<Record<BlobAskKind, Wire>> = {
  get: ['GET', ''],
  head: ['HEAD', ''],
  getMetadata: ['GET', 'comp=metadata'],
  getBlocks: ['GET', 'comp=blocklist'],
  getTags: ['GET', 'comp=tags'],
  setTags: ['PUT', 'comp=tags', {}, XML],
  putNew: ['PUT', '', BLOCK, 'new'],
  putNewWithTags: ['PUT', '', { ...BLOCK, 'x-ms-tags': 'k=v' }, 'new'],
  putOver: ['PUT', '', BLOCK, 'over'],
  putBlockNew: ['PUT', 'comp=block&blockid=AAAA', {}, 'block'],
  append: ['PUT', 'comp=appendblock', {}, 'line'],
  setMetadata: ['PUT', 'comp=metadata'],
  setProperties: ['PUT', 'comp=properties'],
  snapshot: ['PUT', 'comp=snapshot'],
  breakLease: ['PUT', 'comp=lease', { 'x-ms-lease-action': 'break' }],
  delete: ['DELETE', ''],
  list: ['GET', 'restype=container&comp=list'],
  headContainer: ['HEAD', 'restype=container'],
  createContainer: ['PUT', 'restype=container'],
  setContainerMetadata: ['PUT', 'restype=container&comp=metadata'],
  deleteContainer: ['DELETE', 'restype=container'],
  getAcl: ['GET', 'restype=container&comp=acl'],
  listContainers: ['GET', 'comp=list'],
  getService: ['GET', 'restype=service&comp=properties'],
};

function someBlobAttempt(
  draw: Draw,
  secrets: BlobSecrets,
  serviceToken: fc.Arbitrary<TokenFields>,
): BlobAttempt {
  let ask = someAsk(draw);
  const isOfAccount = draw(chance(NEVER.includes(ask.kind) ? 80 : 30));
  const fields: Fields = new Map(draw(isOfAccount ? blobAccountToken : serviceToken));
  // One blob has a snapshot, which can only be read.
  if (fields.has('snapshot')) ask = { kind: draw(from(READS)), container: CONTAINERS[0], blob: BLOBS[0] };
  sign(draw, secrets, ask, fields);
  const [method, query, headers = {}, body = ''] = REQUESTS[ask.kind];
  const token = draw(writings)([...fields]);
  const path = [secrets.account, ask.container, ...(ask.blob === '' ? [] : ask.blob.split('/'))];
  const target = `/${path
    .filter(each => each !== '')
    .map(encodeURIComponent)
    .join('/')}`;
  const caller: Presented = {
    method,
    target: `${target}${ask.container === '' ? '/' : ''}?${query === '' ? '' : `${query}&`}${token}`,
    headers: {
      host: '127.0.0.1:10000',
      'x-ms-version': '2021-12-02',
      ...(method === 'PUT' ? { 'content-length': String(Buffer.byteLength(body)) } : {}),
      ...headers,
    },
    secure: draw(chance(50)),
    remoteAddress: draw(from(['127.0.0.1', '10.0.0.1', '10.0.0.10', '::ffff:10.0.0.9'])),
  };
  return { ask, caller, body };
}

export function blobAttempts(secrets: BlobSecrets): fc.Arbitrary<BlobAttempt> {
  const delegated = secrets.delegated.map(({ fields }) => [...fields]);
  const serviceToken = blobToken(delegated, secrets.snapshot);
  return drawn(draw => someBlobAttempt(draw, secrets, serviceToken));
}
