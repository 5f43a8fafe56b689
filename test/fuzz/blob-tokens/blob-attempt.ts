// Makes attempts to access blobs by a signature: mostly a right one or nearly so, then often mutated, doubled, or respelled.

import type fc from 'fast-check';
import { below, chance, type Draw, drawn, from, seldom, several, weighted } from '../../random/arbitrary.js';
import { mac, type Presented } from '../tokens/judge.js';
import { someLetters } from '../tokens/token.js';
import { BLOB_KINDS, type BlobAsk, type BlobAskKind, delegatedBy, signedBlobText } from './blob-judge.js';
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
  /** The snapshot of the first blob in the first container. */
  readonly snapshot: string;
}

export interface BlobAttempt {
  readonly ask: BlobAsk;
  readonly caller: Presented;
  readonly body: string;
}

type Fields = Map<string, string>;

const ACCOUNT_VERSION = seldom(
  11,
  from(['2014-02-14', 'x']),
  from(['2015-04-05', '2018-11-09', '2020-12-06', '2026-04-06']),
);
const SERVICE_VERSIONS = [
  ...(['', '2012-02-12', '2013-08-15', '2015-02-21', '2015-04-05', '2018-11-09', '2020-02-10'] as const),
  ...(['2020-12-06', '2021-12-02', '2025-07-05', '2026-04-06'] as const),
];
const KEY_VERSIONS = SERVICE_VERSIONS.filter(version => version >= '2018-11-09');
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

const someTimes = (draw: Draw, fields: Fields): void => {
  if (draw(chance(40)))
    fields.set('st', draw(from(['2019-12-31', '2020-01-01T01:02:00Z', '2020-01-01T02:00Z'])));
  if (draw(chance(97)))
    fields.set(
      'se',
      draw(from(['2030-01-01', '2020-01-02T00:00:00Z', '2020-01-01T01:02:01Z', '2020-01-01T01:02Z'])),
    );
};

function somePlace(draw: Draw, fields: Fields): void {
  if (draw(chance(20))) fields.set('sip', draw(from(['127.0.0.1', '10.0.0.1-10.0.0.9', '10.0.0.1'])));
  if (draw(chance(30))) fields.set('spr', draw(from(['https', 'https,http', 'https,http', 'http'])));
}

function accountFields(draw: Draw): Fields {
  const fields: Fields = new Map([['sv', draw(ACCOUNT_VERSION)]]);
  fields.set('ss', draw(from(['b', 'b', 'bqt', 'bt', 'qt'])));
  fields.set('srt', draw(from(['sco', 'sco', 'o', 'c', 's', 'co'])));
  fields.set('sp', draw(someLetters('rwdlact')));
  someTimes(draw, fields);
  somePlace(draw, fields);
  return fields;
}

function serviceFields(draw: Draw, { delegated, snapshot }: BlobSecrets): Fields {
  const key = draw(chance(35)) ? draw(from(delegated)) : undefined;
  const fields: Fields = new Map([['sv', draw(from(key === undefined ? SERVICE_VERSIONS : KEY_VERSIONS))]]);
  fields.set('sr', draw(from(['c', 'c', 'b', 'b', 'bs', 'd'])));
  if (fields.get('sr') === 'bs' || draw(chance(5))) fields.set('snapshot', snapshot);
  fields.set('sp', draw(someLetters(draw(chance(95)) ? 'racwdlt' : 'raz')));
  someTimes(draw, fields);
  if ((fields.get('sv') ?? '') >= '2015-04-05') somePlace(draw, fields);
  if (draw(chance(10))) fields.set('rsct', 'text/x y');
  for (const [name, value] of key?.fields ?? []) fields.set(name, value);
  if (key !== undefined || draw(chance(65))) return fields;
  fields.set('si', draw(from([...BLOB_POLICIES.keys(), 'none'])));
  for (const name of ['sp', 'st', 'se']) if (draw(chance(70))) fields.delete(name);
  return fields;
}

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

/** Duplicates come after the others, or before them. */
function mutated(draw: Draw, pairs: [string, string][]): [string, string][] {
  const at = draw(below(pairs.length));
  const [name = '', value = ''] = pairs[at] ?? [];
  // An invalid snapshot is refused as such.
  if (name === 'snapshot') return pairs;
  const other = draw(from(CHANGED[name] ?? [value]));
  const without = pairs.filter((_, each) => each !== at);
  return draw(
    weighted<() => [string, string][]>(
      [4, () => pairs.map((pair, each) => (each === at ? [name, other] : pair))],
      [2, () => without],
      [2, () => [...pairs, [name, draw(chance(50)) ? value : other]]],
      [1, () => [[name, other], ...pairs]],
      [2, () => pairs.map(([each, text]) => [each, each === 'sig' ? forged(draw, text) : text])],
      [1, () => [...pairs, [draw(from(['si', 'ses', 'snapshot2', 'sr', 'scid'])), 'x']]],
    ),
  )();
}

const forged = (draw: Draw, sig: string): string =>
  draw(
    from([
      sig.replace(/^./, first => (first === 'A' ? 'B' : 'A')),
      sig.slice(0, -1),
      sig.replace('=', ''),
      `${sig}=`,
      sig.toLowerCase(),
      '',
      Buffer.alloc(32).toString('base64'),
    ]),
  );

const SPELLINGS_MAX = 16;
const encoded = (each: string): string => encodeURIComponent(each);
/** Of characters in turn: the same text once decoded. */
const SPELLINGS = several(
  weighted<(each: string) => string>(
    [87, encoded],
    [
      10,
      each =>
        encoded(each)
          .toLowerCase()
          .replace(/^[a-z]$/, each),
    ],
    [
      3,
      each =>
        /^[\x21-\x7e]$/.test(each) ? `%${each.charCodeAt(0).toString(16).padStart(2, '0')}` : encoded(each),
    ],
  ),
  SPELLINGS_MAX,
  SPELLINGS_MAX,
);

function spelled(draw: Draw, text: string): string {
  const spellings = draw(SPELLINGS);
  return [...text].map((each, at) => (spellings[at % SPELLINGS_MAX] ?? encoded)(each)).join('');
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

function someBlobAttempt(draw: Draw, secrets: BlobSecrets): BlobAttempt {
  let ask = someAsk(draw);
  const isOfAccount = draw(chance(NEVER.includes(ask.kind) ? 80 : 30));
  const fields = isOfAccount ? accountFields(draw) : serviceFields(draw, secrets);
  // One blob has a snapshot, which can only be read.
  if (fields.has('snapshot')) ask = { kind: draw(from(READS)), container: CONTAINERS[0], blob: BLOBS[0] };
  sign(draw, secrets, ask, fields);
  const signed = [...fields].map(([name, value]): [string, string] => [name, value]);
  const pairs = draw(chance(35)) ? mutated(draw, signed) : signed;
  const [method, query, headers = {}, body = ''] = REQUESTS[ask.kind];
  const token = pairs.map(([name, value]) => `${name}=${spelled(draw, value)}`);
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
    secure: draw(chance(50)),
    remoteAddress: draw(from(['127.0.0.1', '10.0.0.1', '10.0.0.10', '::ffff:10.0.0.9'])),
  };
  return { ask, caller, body };
}

export const blobAttempts = (secrets: BlobSecrets): fc.Arbitrary<BlobAttempt> =>
  drawn(draw => someBlobAttempt(draw, secrets));
