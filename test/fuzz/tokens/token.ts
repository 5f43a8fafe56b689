// Shared access signatures, good and bad: their fields, what these permit, and the texts that are signed (protocol: sas). Uses
// no code of the packages.
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { from, maybe, oneOf, seldom } from '../../random/arbitrary.js';
import { POLICY_IDS, type Policy } from './policies.js';

export type Pairs = readonly (readonly [name: string, value: string])[];
export type Fields = ReadonlyMap<string, string>;

type Field = fc.Arbitrary<Pairs>;

const NO_FIELD = fc.constant<Pairs>([]);
const field = (percent: number, name: string, value: fc.Arbitrary<string>): Field =>
  seldom<Pairs>(
    percent,
    value.map(each => [[name, each]]),
    NO_FIELD,
  );
const fields = (...all: readonly Field[]): Field => fc.tuple(...all).map(each => each.flat());

interface Values {
  readonly good: readonly string[];
  /** What holds one of them is refused. */
  readonly bad: readonly string[];
}

/** With spaces in between. */
const valuesOf = (good: string, bad: string): Values => ({ good: good.split(' '), bad: bad.split(' ') });
const BAD_PERCENT = 10;
const mixed = ({ good, bad }: Values): fc.Arbitrary<string> => seldom(BAD_PERCENT, from(bad), from(good));

const STARTS = valuesOf(
  '2019-01-01 2019-12-31 2020-01-01T00:00Z 2020-01-01T01:02:00Z 2020-01-01T02:02:00+01:00',
  '2020-01-01T01:02:01Z 2020-01-02 2021-01-01T00:00:00Z x 2020-13-01',
);
/** The last of the bad ones is empty. */
const EXPIRIES = valuesOf(
  '2020-01-02 2030-01-01 2030-01-01T00:00:00Z 2020-01-01T01:02:01Z 2030-01-01T00:00:00.0000000Z',
  '2020-01-01T01:02:00Z 2020-01-01 2019-01-01T00:00:00Z x 2020-02-30 ',
);
const LOOPBACK = ['127.0.0.1', '::ffff:127.0.0.1'];
const OTHERS = ['10.0.0.1', '::ffff:10.0.0.9', '10.0.0.10', '192.168.0.1', '::1'];
export const ADDRESSES = [...LOOPBACK, ...LOOPBACK, '10.0.0.5', '::ffff:10.0.0.5', ...OTHERS];
const address = mixed({
  good: ['127.0.0.1', '127.0.0.0-127.0.0.255', '10.0.0.1-10.0.0.9', '10.0.0.5', '0.0.0.0-255.255.255.255'],
  bad: ['10.0.0.9-10.0.0.1', '127.0.0.256', '::1', '127.0.0.1-', 'x'],
});
const protocol = mixed({
  good: ['https,http', 'https', 'http,https'],
  bad: ['http', 'HTTPS', 'https, http'],
});

const caller = fields(field(20, 'sip', address), field(30, 'spr', protocol));
const times = fields(field(40, 'st', mixed(STARTS)), field(97, 'se', mixed(EXPIRIES)));

/** Some of them in their order, at least one; half of the time all. */
const someLetters = (all: string): fc.Arbitrary<string> =>
  seldom(
    50,
    fc.subarray([...all], { minLength: 1 }).map(some => some.join('')),
    fc.constant(all),
  );

const ACCOUNT_VERSIONS = valuesOf(
  '2015-04-05 2019-02-02 2020-12-05 2020-12-06 2026-02-06',
  '2015-04-04 2014-02-14 x 2019-2-2',
);
const accountTokenOf = (services: readonly string[], letters: string): Field =>
  fields(
    field(100, 'sv', mixed(ACCOUNT_VERSIONS)),
    field(100, 'ss', from(services)),
    field(100, 'srt', someLetters('sco')),
    field(100, 'sp', someLetters(letters)),
    times,
    caller,
    field(10, 'ses', from(['scope', ''])),
  );
export const tableAccountToken = accountTokenOf(['t', 'bqt', 'bfqt', 't', 'b'], 'rwdlacu');
export const blobAccountToken = accountTokenOf(['b', 'b', 'bqt', 'bt', 'qt'], 'rwdlact');

const TABLE_VERSIONS = valuesOf(
  '2012-02-12 2013-08-15 2015-02-20 2015-02-21 2015-04-05 2019-02-02 2026-02-06',
  '2012-02-11 2009-09-19 x ',
);
const tableOwn = fields(field(97, 'sp', seldom(10, from(['x', 'rx', 'ra ud']), someLetters('raud'))), times);
const byPolicy = field(100, 'si', from(POLICY_IDS));
const range = fields(
  field(70, 'spk', from(['a', 'b', 'c', ''])),
  field(60, 'srk', from(['1', '2', '9', ''])),
  field(85, 'epk', from(['b', 'c', 'd', ''])),
  field(75, 'erk', from(['2', '3', '0'])),
);
export const tableToken = fields(
  field(100, 'sv', mixed(TABLE_VERSIONS)),
  field(100, 'tn', from(['People', 'People', 'people', 'PEOPLE', 'Other', 'Gone'])),
  // Mostly either its own permissions or those of a policy.
  oneOf(
    [63, fields(tableOwn, caller)],
    [25, fields(caller, byPolicy)],
    [10, fields(tableOwn, caller, byPolicy)],
    [2, caller],
  ),
  seldom(80, range, NO_FIELD),
);

const BLOB_VERSIONS =
  ' 2012-02-12 2013-08-15 2015-02-21 2015-04-05 2018-11-09 2020-02-10 2020-12-06 2021-12-02 2025-07-05 2026-04-06';
const blobLetters = seldom(5, from(['raz', 'z']), someLetters('racwdlt'));
const blobOwn = fields(field(97, 'sp', blobLetters), times);
const blobPolicy = fields(
  field(30, 'sp', blobLetters),
  field(15, 'st', mixed(STARTS)),
  field(30, 'se', mixed(EXPIRIES)),
  byPolicy,
);

/** Of a container, a blob or the snapshot, by the account's key or by a user delegation key, whose fields it has. */
export const blobToken = (delegated: readonly Pairs[], snapshot: string): Field =>
  maybe(35, from(delegated)).chain(key => {
    const isFit = (version: string): boolean => key === undefined || version >= '2018-11-09';
    return from(BLOB_VERSIONS.split(' ').filter(isFit)).chain(version =>
      fields(
        field(100, 'sv', fc.constant(version)),
        oneOf(
          [5, field(100, 'sr', from(['c', 'c', 'b', 'b', 'd']))],
          [
            1,
            fields(field(100, 'sr', from(['bs', 'bs', 'b'])), field(100, 'snapshot', fc.constant(snapshot))),
          ],
        ),
        key === undefined ? seldom(35, blobPolicy, blobOwn) : blobOwn,
        // Older versions do not sign them.
        version >= '2015-04-05' ? caller : NO_FIELD,
        field(10, 'rsct', fc.constant('text/x y')),
        fc.constant(key ?? []),
      ),
    );
  });

export const isInTime = (token: Fields): boolean => {
  const st = token.get('st');
  return (!st || STARTS.good.includes(st)) && EXPIRIES.good.includes(token.get('se') ?? '');
};

/** Before there was `sv`, what had no policy was good for an hour. */
export function isShort(token: Fields, now: number): boolean {
  if (token.get('sv') || token.get('si')) return true;
  const st = token.get('st');
  return Date.parse(token.get('se') ?? '') - (st ? Date.parse(st) : now) <= 3_600_000;
}

export interface Presented {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secure: boolean;
  readonly remoteAddress: string;
}

/** NaN for an invalid one. */
function numberOfAddress(text: string): number {
  const parts = /^\d{1,3}(?:\.\d{1,3}){3}$/.test(text) ? text.split('.').map(Number) : [];
  return parts.length === 4 && parts.every(part => part <= 255)
    ? parts.reduce((all, part) => all * 256 + part, 0)
    : Number.NaN;
}

function isFromThere(sip: string, address: string): boolean {
  const [first = '', last = first, ...more] = sip.split('-');
  const own = numberOfAddress(address.replace(/^::ffff:/, ''));
  return more.length === 0 && own >= numberOfAddress(first) && own <= numberOfAddress(last);
}

/** Whether the token may be used from there. */
export function isFor(
  token: Fields,
  { secure, remoteAddress }: Omit<Presented, 'method' | 'target' | 'headers'>,
) {
  const [sip, spr] = [token.get('sip'), token.get('spr')];
  const isThere = !sip || isFromThere(sip, remoteAddress);
  return isThere && (!spr || spr === 'https,http' || spr === 'http,https' || (spr === 'https' && secure));
}

/** The union of the token and its policy; undefined if both have a field, or if there is no such policy. */
export function completed(token: Fields, policies: ReadonlyMap<string, Policy>): Fields | undefined {
  const id = token.get('si');
  if (!id) return token;
  const policy = policies.get(id);
  if (!policy || Object.keys(policy).some(name => token.get(name))) return undefined;
  return new Map([...token, ...Object.entries(policy)]);
}

export const isAccountToken = (token: Fields): boolean => token.has('ss') || token.has('srt');
export const isVersionOf = (token: Fields, kind: 'account' | 'table'): boolean =>
  (kind === 'account' ? ACCOUNT_VERSIONS : TABLE_VERSIONS).good.includes(token.get('sv') ?? '');

/** `needs`: a resource type, and then sets of letters, one letter of each. */
export function covers(needs: string, types: string, letters: string): boolean {
  const [type = '', ...sets] = needs.split(' ');
  return types.includes(type) && sets.every(any => [...any].some(one => letters.includes(one)));
}

export const linesOf = (token: Fields, names: string): string[] =>
  names.split(' ').map(name => token.get(name) ?? '');

/** By the rules of a version: only those of its own are right. */
function accountText(token: Fields, account: string, version = token.get('sv') ?? ''): string {
  const scope = version >= '2020-12-06' ? ' ses' : '';
  return [account, ...linesOf(token, `sp ss srt st se sip spr sv${scope}`), ''].join('\n');
}

export function tableText(token: Fields, account: string, version = token.get('sv') ?? ''): string {
  if (isAccountToken(token)) return accountText(token, account, version);
  const table = (token.get('tn') ?? '').toLowerCase();
  const resource = `${version >= '2015-02-21' ? '/table' : ''}/${account}/${table}`;
  const place = version >= '2015-04-05' ? ' sip spr' : '';
  const rest = linesOf(token, `si${place} sv spk srk epk erk`);
  return [...linesOf(token, 'sp st se'), resource, ...rest].join('\n');
}

const OVERRIDES = 'rscc rscd rsce rscl rsct';
export const DELEGATION = 'skoid sktid skt ske sks skv';

/** `resource`: of a container or a blob. */
export function blobText(token: Fields, account: string, resource: string): string {
  if (isAccountToken(token)) return accountText(token, account);
  const sv = token.get('sv') ?? '';
  const isDelegated = token.has('skoid');
  const agents = `${sv >= '2020-02-10' ? ' saoid suoid scid' : ''}${sv >= '2025-07-05' ? ' skdutid sduoid' : ''}`;
  const snapshot = token.get('sr') === 'c' ? '' : (token.get('snapshot') ?? '');
  return [
    ...linesOf(token, 'sp st se'),
    `${sv >= '2015-02-21' ? '/blob' : ''}/${account}/${resource}`,
    ...linesOf(token, isDelegated ? DELEGATION + agents : 'si'),
    ...linesOf(token, sv >= '2015-04-05' ? 'sip spr sv' : 'sv').slice(0, sv === '' ? 0 : undefined),
    ...(sv >= '2018-11-09' ? [token.get('sr') ?? '', snapshot] : []),
    ...(sv >= '2020-12-06' ? [token.get('ses') ?? ''] : []),
    ...(isDelegated && sv >= '2026-04-06' ? ['', ''] : []),
    ...(sv >= '2013-08-15' ? linesOf(token, OVERRIDES) : []),
  ].join('\n');
}

export const mac = (key: Buffer, text: string): string =>
  createHmac('sha256', key).update(text, 'utf8').digest('base64');

const COMMON = 'sig sv ss srt sp st se sip spr ses si';
export const TABLE_FIELDS = 'tn spk srk epk erk';
export const BLOB_FIELDS = `sr snapshot ${OVERRIDES} ${DELEGATION} saoid suoid scid skdutid sduoid`;

/** None of these may be repeated, signed or not; those of `own` are the service's. */
export const singleOf = (token: Fields, own: string): ReadonlySet<string> =>
  new Set((isAccountToken(token) ? COMMON : `${COMMON} ${own}`).split(' '));
