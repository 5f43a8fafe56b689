// Attempts at blobs by a signature: of the account, of a container or a blob, by a key of the account or of a user, and
// whether it permits what is asked for (protocol: sas). Uses no code of the packages.
import { below, chance, type Draw, from } from '../../random/arbitrary.js';
import { BLOB_POLICIES } from './policies.js';
import { spelled } from './spelling.js';
import * as token from './token.js';

/** A user delegation key that was issued, and the letters that its owner has. */
export interface DelegationKey {
  readonly fields: token.Fields;
  readonly value: Buffer;
  readonly letters: string;
  /** Its time has begun. */
  readonly isInTime: boolean;
}

export interface BlobSecrets {
  readonly account: string;
  readonly keys: readonly Buffer[];
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly delegated: readonly DelegationKey[];
  /** The snapshot of the first blob in the first container. */
  readonly snapshot: string;
}

interface BlobAttempt {
  readonly caller: token.Presented;
  readonly body: string;
  readonly may: boolean;
}

export const CONTAINERS = ['one', 'two'] as const;
export const BLOBS = ['a', 'dir/a b', 'ü%'] as const;
export const LOG = 'log';

const TAGS = '<?xml version="1.0"?><Tags><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tags>';
const BLOCK = { 'x-ms-blob-type': 'BlockBlob' };

type Operation = readonly [
  needs: string,
  method: string,
  query?: string,
  body?: string,
  headers?: Readonly<Record<string, string>>,
];

/**
 * What it needs of a signature: a resource type and sets of letters, one letter of each; then its request. Those of
 * upper case only the account's signature may allow.
 */
const OPERATIONS = {
  get: ['o r', 'GET'],
  head: ['o r', 'HEAD'],
  getMetadata: ['o r', 'GET', 'comp=metadata'],
  getBlocks: ['o r', 'GET', 'comp=blocklist'],
  getTags: ['o t', 'GET', 'comp=tags'],
  setTags: ['o t', 'PUT', 'comp=tags', TAGS],
  putNew: ['o cw', 'PUT', '', 'new', BLOCK],
  putNewWithTags: ['o cw t', 'PUT', '', 'new', { ...BLOCK, 'x-ms-tags': 'k=v' }],
  putOver: ['o w', 'PUT', '', 'over', BLOCK],
  putBlockNew: ['o cw', 'PUT', 'comp=block&blockid=AAAA', 'block'],
  append: ['o aw', 'PUT', 'comp=appendblock', 'line'],
  setMetadata: ['o w', 'PUT', 'comp=metadata'],
  setProperties: ['o w', 'PUT', 'comp=properties'],
  snapshot: ['o cw', 'PUT', 'comp=snapshot'],
  breakLease: ['o dw', 'PUT', 'comp=lease', '', { 'x-ms-lease-action': 'break' }],
  delete: ['o d', 'DELETE'],
  list: ['c l', 'GET', 'restype=container&comp=list'],
  headContainer: ['C r', 'HEAD', 'restype=container'],
  createContainer: ['C cw', 'PUT', 'restype=container'],
  setContainerMetadata: ['C w', 'PUT', 'restype=container&comp=metadata'],
  deleteContainer: ['C d', 'DELETE', 'restype=container'],
  getAcl: ['- -', 'GET', 'restype=container&comp=acl'],
  listContainers: ['S l', 'GET', 'comp=list'],
  getService: ['S r', 'GET', 'restype=service&comp=properties'],
} as const satisfies Readonly<Record<string, Operation>>;
type Kind = keyof typeof OPERATIONS;

interface Ask {
  readonly kind: Kind;
  readonly container: string;
  /** Empty if it concerns the container or the service. */
  readonly blob: string;
}

const KINDS = Object.keys(OPERATIONS) as Kind[];
const READS: readonly Kind[] = ['get', 'head', 'getMetadata', 'getTags'];
const FOR_ACCOUNTS: readonly Kind[] = ['createContainer', 'listContainers', 'getService', 'getAcl'];

function someAsk(draw: Draw): Ask {
  const kind = draw(from(KINDS));
  const [needs] = OPERATIONS[kind];
  if (needs.startsWith('S')) return { kind, container: '', blob: '' };
  const container = kind === 'deleteContainer' ? 'missing' : draw(from(CONTAINERS));
  if (!needs.startsWith('o')) return { kind, container, blob: '' };
  const isNew = kind.startsWith('putNew') || kind === 'putBlockNew' || kind === 'delete';
  const blob = isNew ? `new-${draw(below(1e9))}` : kind === 'append' ? LOG : draw(from(BLOBS));
  return { kind, container, blob };
}

const delegationOf = (fields: token.Fields): string => token.linesOf(fields, token.DELEGATION).join('\n');

/** Undefined if it is of no resource that the request names. */
function resourceOf(fields: token.Fields, { container, blob }: Ask): string | undefined {
  const sr = fields.get('sr');
  if (sr === 'c') return container;
  const isOfSnapshot = sr === 'bs' && fields.get('snapshot') && (fields.get('sv') ?? '') >= '2018-11-09';
  return blob !== '' && (sr === 'b' || isOfSnapshot) ? `${container}/${blob}` : undefined;
}

const mayByAccount = (fields: token.Fields, { kind }: Ask): boolean =>
  token.isVersionOf(fields, 'account') &&
  !fields.has('skoid') &&
  token.isInTime(fields) &&
  (fields.get('ss') ?? '').includes('b') &&
  token.covers(OPERATIONS[kind][0].toLowerCase(), fields.get('srt') ?? '', fields.get('sp') ?? '');

function mayByService(fields: token.Fields, ask: Ask, { delegated, now }: BlobSecrets): boolean {
  const whole = token.completed(fields, BLOB_POLICIES);
  const sp = whole?.get('sp') ?? '';
  const key = delegated.find(each => delegationOf(each.fields) === delegationOf(fields));
  const letters = key === undefined ? sp : [...sp].filter(letter => key.letters.includes(letter)).join('');
  return (
    whole !== undefined &&
    !(key !== undefined && fields.get('si')) &&
    /^[racwdxltmeiyfop]+$/.test(sp) &&
    (key?.isInTime ?? true) &&
    token.isInTime(whole) &&
    token.isShort(fields, now) &&
    token.covers(OPERATIONS[ask.kind][0], 'oc', letters)
  );
}

/** Sometimes of the resource of another container or blob. */
function sign(draw: Draw, secrets: BlobSecrets, ask: Ask, fields: token.Fields): token.Pairs {
  const { account, keys, delegated } = secrets;
  const inside = draw(chance(93)) ? ask.container : draw(from(CONTAINERS));
  const name = draw(chance(93)) ? ask.blob : draw(from(BLOBS));
  const key = delegated.find(each => delegationOf(each.fields) === delegationOf(fields));
  const text = token.blobText(fields, account, fields.get('sr') === 'c' ? inside : `${inside}/${name}`);
  return [...fields, ['sig', token.mac(key?.value ?? draw(from(keys)), text)]];
}

export function someBlobAttempt(draw: Draw, secrets: BlobSecrets): BlobAttempt {
  const { account, keys, delegated, snapshot } = secrets;
  let ask = someAsk(draw);
  const isOfAccount = draw(chance(FOR_ACCOUNTS.includes(ask.kind) ? 80 : 30));
  const service = token.blobToken(
    delegated.map(key => [...key.fields]),
    snapshot,
  );
  const made = new Map(draw(isOfAccount ? token.blobAccountToken : service));
  // One blob has a snapshot, which can only be read.
  if (made.has('snapshot')) ask = { kind: draw(from(READS)), container: CONTAINERS[0], blob: BLOBS[0] };
  const pairs = sign(draw, secrets, ask, made);
  const textOf = (some: token.Fields): string =>
    token.blobText(some, account, resourceOf(some, ask) ?? 'nothing');
  const { query, fields, isIntact } = spelled(
    { pairs, textOf, own: token.BLOB_FIELDS, hasAnyCase: true },
    draw,
  );
  const own = delegated.find(key => delegationOf(key.fields) === delegationOf(fields));
  const signers = own === undefined ? keys : [own.value];
  const isOfThis = isOfAccount || resourceOf(fields, ask) !== undefined;
  const isSound =
    isIntact && isOfThis && signers.some(key => token.mac(key, textOf(fields)) === fields.get('sig'));
  const [, method, other = '', body = '', headers = {}]: Operation = OPERATIONS[ask.kind];
  const path = [account, ask.container, ...ask.blob.split('/')].filter(part => part !== '');
  const target = `/${path.map(encodeURIComponent).join('/')}${ask.container === '' ? '/' : ''}`;
  const remoteAddress = draw(from(token.ADDRESSES));
  const place = { secure: draw(chance(50)), remoteAddress };
  const may = isOfAccount ? mayByAccount(fields, ask) : mayByService(fields, ask, secrets);
  const length = method === 'PUT' ? { 'content-length': String(Buffer.byteLength(body)) } : {};
  return {
    caller: {
      method,
      target: `${target}?${other === '' ? '' : `${other}&`}${query}`,
      headers: { host: '127.0.0.1:10000', 'x-ms-version': '2021-12-02', ...length, ...headers },
      ...place,
    },
    body,
    may: isSound && token.isFor(fields, place) && may,
  };
}
