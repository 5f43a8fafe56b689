// Makes attempts to do something with blobs by a signature: mostly one that is right or nearly so, then often changed, doubled, or spelled in another way.
import type { Random } from '../../simulation/plan/random.js';
import { mac, type Presented } from '../tokens/judge.js';
import { BLOB_KINDS, type BlobAsk, type BlobAskKind, delegatedBy, signedText } from './blob-judge.js';
import { BLOB_POLICIES } from './blob-policies.js';

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
  /** Of the first blob in the first container. */
  readonly snapshot: string;
}

export interface BlobAttempt {
  readonly ask: BlobAsk;
  readonly caller: Presented;
  readonly body: string;
}

type Fields = Map<string, string>;

const ACCOUNT_VERSIONS = ['2014-02-14', '2015-04-05', '2018-11-09', '2020-12-06', '2026-04-06', 'x'] as const;
const SERVICE_VERSIONS = [
  ...(['', '2012-02-12', '2013-08-15', '2015-02-21', '2015-04-05', '2018-11-09', '2020-02-10'] as const),
  ...(['2020-12-06', '2021-12-02', '2025-07-05', '2026-04-06'] as const),
];
const KEY_VERSIONS = SERVICE_VERSIONS.filter(version => version >= '2018-11-09');
const NEVER: readonly BlobAskKind[] = ['createContainer', 'listContainers', 'getService', 'getAcl'];
const READS: readonly BlobAskKind[] = ['get', 'head', 'getMetadata', 'getTags'];

function someAsk(random: Random): BlobAsk {
  const kind = random.pick(BLOB_KINDS);
  const isOfService = kind === 'listContainers' || kind === 'getService';
  const isOfContainer = kind === 'list' || /Container$|Acl$|ContainerMetadata$/.test(kind);
  const container = kind === 'deleteContainer' ? 'missing' : random.pick(CONTAINERS);
  const isNew = kind.startsWith('putNew') || kind === 'putBlockNew' || kind === 'delete';
  const named = isNew ? `new-${random.below(1e9)}` : kind === 'append' ? LOG : random.pick(BLOBS);
  return { kind, container: isOfService ? '' : container, blob: isOfService || isOfContainer ? '' : named };
}

const someTimes = (random: Random, fields: Fields): void => {
  if (random.happens(0.4))
    fields.set('st', random.pick(['2019-12-31', '2020-01-01T01:02:00Z', '2020-01-01T02:00Z']));
  if (random.happens(0.97))
    fields.set(
      'se',
      random.pick(['2030-01-01', '2020-01-02T00:00:00Z', '2020-01-01T01:02:01Z', '2020-01-01T01:02Z']),
    );
};

function somePlace(random: Random, fields: Fields): void {
  if (random.happens(0.2)) fields.set('sip', random.pick(['127.0.0.1', '10.0.0.1-10.0.0.9', '10.0.0.1']));
  if (random.happens(0.3)) fields.set('spr', random.pick(['https', 'https,http', 'https,http', 'http']));
}

const someLetters = (random: Random, all: string): string =>
  random.some([...all], random.between(1, all.length)).join('');

function accountFields(random: Random): Fields {
  const fields: Fields = new Map([
    ['sv', random.weighted(ACCOUNT_VERSIONS.map((each, at) => [at % 5 ? 4 : 1, each]))],
  ]);
  fields.set('ss', random.pick(['b', 'b', 'bqt', 'bt', 'qt']));
  fields.set('srt', random.pick(['sco', 'sco', 'o', 'c', 's', 'co']));
  fields.set('sp', someLetters(random, 'rwdlact'));
  someTimes(random, fields);
  somePlace(random, fields);
  return fields;
}

function serviceFields(random: Random, { delegated, snapshot }: BlobSecrets): Fields {
  const key = random.happens(0.35) ? random.pick(delegated) : undefined;
  const fields: Fields = new Map([['sv', random.pick(key === undefined ? SERVICE_VERSIONS : KEY_VERSIONS)]]);
  fields.set('sr', random.pick(['c', 'c', 'b', 'b', 'bs', 'd']));
  if (fields.get('sr') === 'bs' || random.happens(0.05)) fields.set('snapshot', snapshot);
  fields.set('sp', someLetters(random, random.happens(0.95) ? 'racwdlt' : 'raz'));
  someTimes(random, fields);
  if ((fields.get('sv') ?? '') >= '2015-04-05') somePlace(random, fields);
  if (random.happens(0.1)) fields.set('rsct', 'text/x y');
  for (const [name, value] of key?.fields ?? []) fields.set(name, value);
  if (key !== undefined || random.happens(0.65)) return fields;
  fields.set('si', random.pick([...BLOB_POLICIES.keys(), 'none']));
  for (const name of ['sp', 'st', 'se']) if (random.happens(0.7)) fields.delete(name);
  return fields;
}

/** Of another container or blob, now and then. */
function signedResource(random: Random, { container, blob }: BlobAsk, fields: Fields): string {
  const inside = random.happens(0.93) ? container : random.pick(CONTAINERS);
  const name = random.happens(0.93) ? blob : random.pick(BLOBS);
  return fields.get('sr') === 'c' ? inside : `${inside}/${name}`;
}

function sign(random: Random, secrets: BlobSecrets, ask: BlobAsk, fields: Fields): void {
  const own = secrets.delegated.find(key => delegatedBy(key.fields) === delegatedBy(fields));
  const key = own?.value ?? random.pick(secrets.keys);
  const text = signedText(fields, secrets.account, signedResource(random, ask, fields));
  fields.set('sig', mac(key, text).toString('base64'));
}

const CHANGED: Readonly<Record<string, readonly string[]>> = {
  sp: ['r', 'racwdlt', 'w', ''],
  se: ['2031-01-01', '', 'never'],
  st: ['2018-01-01', ''],
  sr: ['b', 'c', 'bs', ''],
  si: ['full', 'read', ''],
  sv: ['2015-04-05', '2018-11-09', '2020-12-06', '2026-04-06', '2012-01-01', ''],
  srt: ['sco', 'o', ''],
  ss: ['b', 'q', ''],
  sip: ['127.0.0.1', '10.0.0.1', ''],
  spr: ['https,http', 'https', ''],
  ske: ['2031-01-01T00:00:00Z', ''],
  skoid: ['5be1f0aa-0000-4000-8000-00000000001f', ''],
  sks: ['q', ''],
  rsct: ['text/html', ''],
};

/** A duplicate comes after the others, or before them. */
function mutated(random: Random, pairs: [string, string][]): [string, string][] {
  const at = random.below(pairs.length);
  const [name = '', value = ''] = pairs[at] ?? [];
  // A snapshot that is none is refused as such.
  if (name === 'snapshot') return pairs;
  const other = random.pick(CHANGED[name] ?? [value]);
  const without = pairs.filter((_, each) => each !== at);
  return random.weighted<() => [string, string][]>([
    [4, () => pairs.map((pair, each) => (each === at ? [name, other] : pair))],
    [2, () => without],
    [2, () => [...pairs, [name, random.happens(0.5) ? value : other]]],
    [1, () => [[name, other], ...pairs]],
    [2, () => pairs.map(([each, text]) => [each, each === 'sig' ? forged(random, text) : text])],
    [1, () => [...pairs, [random.pick(['si', 'ses', 'snapshot2', 'sr', 'scid']), 'x']]],
  ])();
}

const forged = (random: Random, sig: string): string =>
  random.pick([
    sig.replace(/^./, first => (first === 'A' ? 'B' : 'A')),
    sig.slice(0, -1),
    sig.replace('=', ''),
    `${sig}=`,
    sig.toLowerCase(),
    '',
    Buffer.alloc(32).toString('base64'),
  ]);

/** Another spelling that decodes to the same text. */
const spelled = (random: Random, text: string): string =>
  [...text]
    .map(each => {
      const encoded = encodeURIComponent(each);
      if (/^[\x21-\x7e]$/.test(each) && random.happens(0.03))
        return `%${each.charCodeAt(0).toString(16).padStart(2, '0')}`;
      return random.happens(0.1) ? encoded.toLowerCase().replace(/^[a-z]$/, each) : encoded;
    })
    .join('');

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

export function someBlobAttempt(random: Random, secrets: BlobSecrets): BlobAttempt {
  let ask = someAsk(random);
  const isOfAccount = random.happens(NEVER.includes(ask.kind) ? 0.8 : 0.3);
  const fields = isOfAccount ? accountFields(random) : serviceFields(random, secrets);
  // A snapshot is there of one blob, and can be read alone.
  if (fields.has('snapshot')) ask = { kind: random.pick(READS), container: CONTAINERS[0], blob: BLOBS[0] };
  sign(random, secrets, ask, fields);
  const signed = [...fields].map(([name, value]): [string, string] => [name, value]);
  const pairs = random.happens(0.35) ? mutated(random, signed) : signed;
  const [method, query, headers = {}, body = ''] = REQUESTS[ask.kind];
  const token = pairs.map(([name, value]) => `${name}=${spelled(random, value)}`);
  const path = [secrets.account, ask.container, ...(ask.blob === '' ? [] : ask.blob.split('/'))];
  const target = `/${path
    .filter(each => each !== '')
    .map(encodeURIComponent)
    .join('/')}`;
  const caller: Presented = {
    method,
    target: `${target}${ask.container === '' ? '/' : ''}?${[...(query === '' ? [] : [query]), ...token].join('&')}`,
    headers: {
      host: '127.0.0.1:10000',
      'x-ms-version': '2021-12-02',
      ...(method === 'PUT' ? { 'content-length': String(Buffer.byteLength(body)) } : {}),
      ...headers,
    },
    secure: random.happens(0.5),
    remoteAddress: random.pick(['127.0.0.1', '10.0.0.1', '10.0.0.10', '::ffff:10.0.0.9']),
  };
  return { ask, caller, body };
}
