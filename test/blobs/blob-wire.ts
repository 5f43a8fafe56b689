// The Blob service's calls over a connection: as requests, and the answers as values.
import type { Sent, Wire } from '../histories/ledger.js';
import { accountSas } from '../simulation/run/signing.js';
import type { RawRequest } from '../support/raw-client.js';
import { type Reply, replyOf, type Sender } from '../support/worker-processes.js';
import type { BlobAnswer, BlobCall } from './blob-call.js';
import {
  bytesOf,
  idOf,
  LEASE,
  listOf,
  NAMES,
  nameOf,
  PAGE,
  PAGES,
  type Step,
  spanOf,
  sumOf,
  tierOf,
  told,
  toldBlocks,
} from './blob-model.js';

const ACCOUNT = '/devstoreaccount1';
const SAS = accountSas('b');
const [BAD, NOT_FOUND, CONFLICT, UNMET, OUTSIDE] = [400, 404, 409, 412, 416];
const REFUSALS: ReadonlySet<number> = new Set([BAD, NOT_FOUND, CONFLICT, UNMET, OUTSIDE]);

interface BlobRequest {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  /** `container`, or `container/blob`. */
  readonly path: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export const rawBlobRequest = ({
  method,
  path,
  query = '',
  headers,
  body = '',
}: BlobRequest): RawRequest => ({
  method,
  target: `${ACCOUNT}/${path}?${query === '' ? '' : `${query}&`}${SAS}`,
  headers: { 'x-ms-version': '2021-12-02', ...headers },
  sign: 'none',
  body,
});

type Put = Omit<BlobRequest, 'path' | 'method'> & { readonly method?: 'DELETE'; readonly status?: number };

const blobType = (type: string, more: Put['headers'] = {}): Put => ({
  headers: { 'x-ms-blob-type': type, ...more },
});

function pagesOf(step: Step, isClear: boolean): Put {
  const { from, until } = spanOf(step);
  return {
    query: 'comp=page',
    headers: { 'x-ms-page-write': isClear ? 'clear' : 'update', 'x-ms-range': `bytes=${from}-${until - 1}` },
    ...(isClear ? {} : { body: Buffer.alloc(until - from, 1 + (step.fill % 255)) }),
  };
}

function listBody(step: Step): string {
  const blocks = listOf(step).map(id => `<Latest>${id}</Latest>`);
  return `<?xml version="1.0"?><BlockList>${blocks.join('')}</BlockList>`;
}

const tagsBody = ({ fill }: Step): string =>
  `<?xml version="1.0"?><Tags><TagSet><Tag><Key>t</Key><Value>${fill}</Value></Tag></TagSet></Tags>`;

function leaseOf({ lease = LEASE, fill }: Step): Put {
  const action =
    fill === 0
      ? { 'x-ms-lease-action': 'release', 'x-ms-lease-id': lease }
      : {
          'x-ms-lease-action': 'acquire',
          'x-ms-lease-duration': '-1',
          'x-ms-proposed-lease-id': lease,
        };
  return { query: 'comp=lease', headers: action, status: fill === 0 ? 200 : 201 };
}

/** From the other blob of the container. */
function copyOf(step: Step, container: string, port: number): Put {
  const source = {
    'x-ms-copy-source': `http://127.0.0.1:${port}${ACCOUNT}/${container}/${nameOf(step.other)}?${SAS}`,
  };
  switch (step.kind) {
    case 'putFromUrl':
      return blobType('BlockBlob', source);
    case 'appendFromUrl':
      return { query: 'comp=appendblock', headers: source };
    case 'blockFromUrl':
      return { query: `comp=block&blockid=${idOf(step.fill)}`, headers: source };
    case 'pagesFromUrl': {
      const { body: _, headers, ...pages } = pagesOf(step, false);
      return {
        ...pages,
        headers: { ...headers, ...source, 'x-ms-source-range': headers?.['x-ms-range'] ?? '' },
      };
    }
    case 'copyFromUrl':
      return { headers: { ...source, 'x-ms-requires-sync': 'true' }, status: 202 };
    default:
      return { headers: source, status: 202 };
  }
}

/** Without its conditions. */
function putOf(step: Step, container: string, port: number): Put {
  const deletion = (snapshots: string): Put => ({
    method: 'DELETE',
    headers: { 'x-ms-delete-snapshots': snapshots },
    status: 202,
  });
  switch (step.kind) {
    case 'put':
      return { ...blobType('BlockBlob'), body: bytesOf(step) };
    case 'block':
      return { query: `comp=block&blockid=${idOf(step.fill)}`, body: bytesOf(step) };
    case 'list':
      return { query: 'comp=blocklist', body: listBody(step) };
    case 'makeAppend':
      return blobType('AppendBlob');
    case 'append':
      return { query: 'comp=appendblock', body: bytesOf(step) };
    case 'makePage':
      return blobType('PageBlob', { 'x-ms-blob-content-length': String(PAGES * PAGE) });
    case 'pages':
    case 'clear':
      return pagesOf(step, step.kind === 'clear');
    case 'snapshot':
      return { query: 'comp=snapshot' };
    case 'delete':
      return deletion('include');
    case 'deleteSnapshots':
      return deletion('only');
    case 'metadata':
      return { query: 'comp=metadata', headers: { 'x-ms-meta-m': String(step.fill) }, status: 200 };
    case 'tags':
      return { query: 'comp=tags', body: tagsBody(step), status: 204 };
    case 'resize':
      return {
        query: 'comp=properties',
        headers: { 'x-ms-blob-content-length': String(step.size) },
        status: 200,
      };
    case 'tier':
      return { query: 'comp=tier', headers: { 'x-ms-access-tier': tierOf(step.fill) }, status: 200 };
    case 'lease':
      return leaseOf(step);
    case 'deleteSnapshot':
      return { method: 'DELETE', status: 202 };
    default:
      return copyOf(step, container, port);
  }
}

function requestOf(call: Exclude<BlobCall, { kind: 'show' }>, port: number): BlobRequest {
  const { container } = call;
  const query = 'restype=container';
  if (call.kind === 'make') return { method: 'PUT', path: container, query };
  if (call.kind === 'drop') return { method: 'DELETE', path: container, query };
  if (call.kind === 'read') {
    const [from, count] = call.range ?? [];
    const range =
      from === undefined || count === undefined ? {} : { Range: `bytes=${from}-${from + count - 1}` };
    return { method: 'GET', path: `${container}/${call.blob}`, headers: range };
  }
  const { step } = call;
  const { status: _, headers, ...put } = putOf(step, container, port);
  const conditions = {
    ...(step.ifMatch !== undefined && { 'If-Match': step.ifMatch }),
    ...(step.at !== undefined && { 'x-ms-blob-condition-appendpos': String(step.at) }),
    ...(step.lease !== undefined && step.kind !== 'lease' && { 'x-ms-lease-id': step.lease }),
  };
  return {
    method: 'PUT',
    path: `${container}/${nameOf(step.blob)}`,
    ...put,
    headers: { ...headers, ...conditions },
  };
}

const successOf = (call: BlobCall): number => {
  if (call.kind === 'make') return 201;
  if (call.kind === 'drop') return 202;
  if (call.kind === 'write') return putOf(call.step, '', 0).status ?? 201;
  return call.kind === 'read' && call.range !== undefined ? 206 : 200;
};

const fieldOf = (xml: string, name: string): string | undefined =>
  new RegExp(`<${name}>(.*?)</${name}>`, 's').exec(xml)?.[1];

async function got(sender: Sender, path: string, query: string): Promise<Reply> {
  const reply = await sender.request(rawBlobRequest({ method: 'GET', path, query }));
  if (reply.status !== 200) throw new Error(`${path}?${query} was answered ${reply.status} ${reply.body}`);
  return reply;
}

const BLOBS = /<Blob>(.*?)<\/Blob>/gs;

/** Its oldest, if it has any. */
async function deleteSnapshot(sender: Sender, container: string, name: string): Promise<Reply> {
  const query = `restype=container&comp=list&include=snapshots&prefix=${name}`;
  const list = await sender.request(rawBlobRequest({ method: 'GET', path: container, query }));
  const own = [...list.body.matchAll(BLOBS)].map(([, xml = '']) => xml);
  const oldest = own.find(xml => fieldOf(xml, 'Name') === name && xml.includes('<Snapshot>'));
  if (list.status !== 200) return list;
  if (oldest === undefined) return replyOf(404, { 'x-ms-error-code': 'BlobNotFound' }, Buffer.alloc(0));
  const snapshot = `snapshot=${encodeURIComponent(fieldOf(oldest, 'Snapshot') ?? '')}`;
  return sender.request(rawBlobRequest({ method: 'DELETE', path: `${container}/${name}`, query: snapshot }));
}

async function stagedOf(sender: Sender, path: string): Promise<string> {
  const query = 'comp=blocklist&blocklisttype=uncommitted';
  const { body } = await sender.request(rawBlobRequest({ method: 'GET', path, query }));
  const blocks = body.matchAll(/<Block><Name>(.*?)<\/Name><Size>(\d+)<\/Size><\/Block>/g);
  return toldBlocks(new Map([...blocks].map(([, id = '', length]) => [id, Number(length)])));
}

/** In the form of blob-model.ts, from lists, block lists and reads. */
async function show(sender: Sender, container: string): Promise<Reply> {
  const query = 'restype=container&comp=list&include=snapshots,metadata,uncommittedblobs,tags';
  const list = await sender.request(rawBlobRequest({ method: 'GET', path: container, query }));
  if (list.status !== 200) return list;
  const shown: Record<string, string> = Object.fromEntries(NAMES.map(name => [name, 'none']));
  const snapshots = new Map<string, Buffer[]>();
  for (const [, xml = ''] of list.body.matchAll(BLOBS)) {
    const name = fieldOf(xml, 'Name') ?? '';
    shown[name] ??= 'none';
    // Of one that has only uncommitted blocks nothing else is listed.
    if (fieldOf(xml, 'Etag') === undefined) continue;
    const snapshot = fieldOf(xml, 'Snapshot');
    const at = snapshot === undefined ? '' : `snapshot=${encodeURIComponent(snapshot)}`;
    const { bytes } = await got(sender, `${container}/${name}`, at);
    const before = snapshots.get(name) ?? [];
    if (snapshot !== undefined) snapshots.set(name, [...before, bytes]);
    else {
      const lease = fieldOf(xml, 'LeaseState') === 'leased' ? 'leased' : '';
      const tier = xml.includes('<AccessTierInferred>') ? '' : (fieldOf(xml, 'AccessTier') ?? '');
      const marks = { tags: fieldOf(xml, 'Value') ?? '', tier, lease };
      shown[name] = told({ bytes, metadata: fieldOf(xml, 'm') ?? '', marks }, before);
    }
  }
  for (const name of Object.keys(shown))
    shown[name] += ` | ${await stagedOf(sender, `${container}/${name}`)}`;
  return replyOf(200, {}, Buffer.from(JSON.stringify(shown)));
}

function readAnswer(call: BlobCall, { status, headers, body, bytes }: Reply): BlobAnswer {
  const header = (name: string) => (headers[name] === undefined ? undefined : String(headers[name]));
  if (status >= 400) {
    const code = header('x-ms-error-code') ?? fieldOf(body, 'Code');
    if (code === undefined || (!REFUSALS.has(status) && status < 500))
      throw new Error('It is never refused so.');
    return { code };
  }
  if (status !== successOf(call)) throw new Error(`The status is not ${successOf(call)}.`);
  const offset = header('x-ms-blob-append-offset');
  const text = call.kind === 'show' ? body : call.kind === 'read' ? sumOf(bytes) : undefined;
  return {
    code: undefined,
    etag: header('etag'),
    offset: offset === undefined ? undefined : Number(offset),
    text,
  };
}

export type SentBlobCall = Sent<BlobCall, BlobAnswer>;

export const BLOB_WIRE: Wire<BlobCall, BlobAnswer, SentBlobCall> = {
  name: 'blob',
  more: {},
  isWrite: ({ kind }) => kind !== 'read' && kind !== 'show',
  send: (sender, call) => {
    const { container } = call;
    if (call.kind === 'show') return show(sender, container);
    if (call.kind === 'write' && call.step.kind === 'deleteSnapshot')
      return deleteSnapshot(sender, container, nameOf(call.step.blob));
    return sender.request(rawBlobRequest(requestOf(call, sender.port)));
  },
  read: readAnswer,
  show: call => JSON.stringify(call),
};
