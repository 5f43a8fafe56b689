// The judge of signatures for blobs: decides from the text of a request what its caller may do (protocol: sas), with no
// code of the packages. It uses the judge of tables for what all services have in common.
import {
  type AskedFields,
  completed,
  fieldsOf,
  isFromThere,
  isInTime,
  isOverProtocol,
  isSignedBy,
  linesOf,
  type Presented,
  signedText,
  timeOf,
} from './judge.js';
import type { Policy } from './policies.js';

export type BlobAskKind = keyof typeof NEEDS;

/** One thing to do. The query names the snapshot, as tokens do too. */
export interface BlobAsk {
  readonly kind: BlobAskKind;
  readonly container: string;
  /** Empty if it concerns the container or the service. */
  readonly blob: string;
}

export interface BlobKnown {
  readonly account: string;
  readonly keys: readonly Buffer[];
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly policies: ReadonlyMap<string, Policy>;
  /** User delegation keys that were issued, by their fields, with the letters that their owners have. */
  readonly delegated: ReadonlyMap<string, { readonly value: Buffer; readonly letters: string }>;
}

/**
 * For each operation: the resource types that an account's signature needs, the sets of letters (one letter of each
 * set), and whether signatures of containers and blobs may allow it.
 */
const NEEDS = {
  get: ['o', ['r'], true],
  head: ['o', ['r'], true],
  getMetadata: ['o', ['r'], true],
  getBlocks: ['o', ['r'], true],
  getTags: ['o', ['t'], true],
  setTags: ['o', ['t'], true],
  putNew: ['o', ['cw'], true],
  putNewWithTags: ['o', ['cw', 't'], true],
  putOver: ['o', ['w'], true],
  putBlockNew: ['o', ['cw'], true],
  append: ['o', ['aw'], true],
  setMetadata: ['o', ['w'], true],
  setProperties: ['o', ['w'], true],
  snapshot: ['o', ['cw'], true],
  breakLease: ['o', ['dw'], true],
  delete: ['o', ['d'], true],
  list: ['c', ['l'], true],
  headContainer: ['c', ['r'], false],
  createContainer: ['c', ['cw'], false],
  setContainerMetadata: ['c', ['w'], false],
  deleteContainer: ['c', ['d'], false],
  getAcl: ['', [], false],
  listContainers: ['s', ['l'], false],
  getService: ['s', ['r'], false],
} as const satisfies Readonly<Record<string, readonly [string, readonly string[], boolean]>>;

export const BLOB_KINDS = Object.keys(NEEDS) as readonly BlobAskKind[];

const has = (kind: BlobAskKind, letters: string): boolean =>
  NEEDS[kind][1].every((any: string) => [...any].some(one => letters.includes(one)));

const VERSION = /^\d{4}-\d\d-\d\d$/;
const OVERRIDES = 'rscc rscd rsce rscl rsct';
const KEY = 'skoid sktid skt ske sks skv';
/** None of these may be repeated. */
const SIGNED = `sig sv ss srt sr snapshot sp st se sip spr ses si saoid suoid scid skdutid sduoid ${OVERRIDES} ${KEY}`;

export const delegatedBy = (fields: ReadonlyMap<string, string>): string => linesOf(fields, KEY).join('\n');

/** The signed text, by the tables of the protocol. `resource`: of a container or a blob. */
export function signedBlobText(
  fields: ReadonlyMap<string, string>,
  account: string,
  resource: string,
): string {
  const sv = fields.get('sv') ?? '';
  if (fields.has('ss') || fields.has('srt')) return signedText(fields, account);
  const isDelegated = fields.has('skoid');
  const place = `${sv >= '2015-02-21' ? '/blob' : ''}/${account}/${resource}`;
  const agents = `${sv >= '2020-02-10' ? ' saoid suoid scid' : ''}${sv >= '2025-07-05' ? ' skdutid sduoid' : ''}`;
  const who = isDelegated ? KEY + agents : 'si';
  const snapshot = fields.get('sr') === 'c' ? '' : (fields.get('snapshot') ?? '');
  return [
    ...linesOf(fields, 'sp st se'),
    place,
    ...linesOf(fields, who),
    ...linesOf(fields, sv >= '2015-04-05' ? 'sip spr sv' : 'sv').slice(0, sv === '' ? 0 : undefined),
    ...(sv >= '2018-11-09' ? [fields.get('sr') ?? '', snapshot] : []),
    ...(sv >= '2020-12-06' ? [fields.get('ses') ?? ''] : []),
    ...(isDelegated && sv >= '2026-04-06' ? ['', ''] : []),
    ...(sv >= '2013-08-15' ? linesOf(fields, OVERRIDES) : []),
  ].join('\n');
}

function mayByAccount(fields: AskedFields, { kind }: BlobAsk, known: BlobKnown): boolean {
  const [types] = NEEDS[kind];
  return (
    (fields.get('sv') ?? '') >= '2015-04-05' &&
    !fields.has('skoid') &&
    isSignedBy(known.keys, signedText(fields, known.account), fields.get('sig') ?? '') &&
    isInTime(fields.get('st'), fields.get('se'), known.now) &&
    (fields.get('ss') ?? '').includes('b') &&
    types !== '' &&
    (fields.get('srt') ?? '').includes(types) &&
    has(kind, fields.get('sp') ?? '')
  );
}

function resourceOf(fields: AskedFields, { container, blob }: BlobAsk): string | undefined {
  const sr = fields.get('sr');
  if (sr === 'c') return container;
  const isOfSnapshot = sr === 'bs' && fields.get('snapshot') && (fields.get('sv') ?? '') >= '2018-11-09';
  if (blob === '' || !(sr === 'b' || isOfSnapshot)) return undefined;
  return `${container}/${blob}`;
}

/** Before there was `sv`, what had no policy was good for an hour. */
function isShort(fields: AskedFields, { now }: BlobKnown): boolean {
  if (fields.get('sv') || fields.get('si')) return true;
  const st = fields.get('st');
  return timeOf(fields.get('se') ?? '') - (st ? timeOf(st) : now) <= 3_600_000;
}

function mayByService(fields: AskedFields, ask: BlobAsk, known: BlobKnown): boolean {
  const resource = resourceOf(fields, ask);
  const whole = completed(fields, known);
  const sp = whole?.get('sp') ?? '';
  if (resource === undefined || whole === undefined || !/^[racwdxltmeiyfop]+$/.test(sp)) return false;
  const text = signedBlobText(fields, known.account, resource);
  const sig = fields.get('sig') ?? '';
  let letters = sp;
  if (fields.has('skoid')) {
    const key = known.delegated.get(delegatedBy(fields));
    const isWhole = fields.get('se') && fields.get('sp') && !fields.get('si');
    if (key === undefined || !isWhole || (fields.get('sv') ?? '') < '2018-11-09') return false;
    if (!isSignedBy([key.value], text, sig)) return false;
    if (!isInTime(fields.get('skt'), fields.get('ske'), known.now)) return false;
    letters = [...sp].filter(letter => key.letters.includes(letter)).join('');
  } else if (!isSignedBy(known.keys, text, sig)) return false;
  if (!isShort(fields, known)) return false;
  return (
    isInTime(whole.get('st'), whole.get('se'), known.now) && NEEDS[ask.kind][2] && has(ask.kind, letters)
  );
}

export function mayDoWithBlobs(ask: BlobAsk, caller: Presented, known: BlobKnown): boolean {
  const query = caller.target.split('?').slice(1).join('?');
  const fields = fieldsOf(query, name => name.toLowerCase());
  if (!fields?.has('sig') || fields.hasTwice(SIGNED)) return false;
  const sv = fields.get('sv') ?? '';
  if (sv !== '' && !(VERSION.test(sv) && sv >= '2012-02-12')) return false;
  const isThere =
    isFromThere(fields.get('sip'), caller.remoteAddress) && isOverProtocol(fields.get('spr'), caller.secure);
  const may = fields.has('ss') || fields.has('srt') ? mayByAccount : mayByService;
  return isThere && may(fields, ask, known);
}
