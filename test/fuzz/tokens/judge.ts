// The judge of access: decides from the text of a request what its caller may do (protocol: authentication, sas), with no code of
// the packages. The server must permit exactly what the judge permits.
import { createHmac } from 'node:crypto';
import type { Ask, AskKind, Key } from './ask.js';
import type { Policy } from './policies.js';

export interface Presented {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secure: boolean;
  readonly remoteAddress: string;
}

/** A bearer token as it was issued. */
export interface Issued {
  readonly account: string;
  readonly role: string;
  /** Milliseconds since 1970; half-open. */
  readonly from: number;
  readonly until: number;
}

export interface Known {
  readonly keys: ReadonlyMap<string, readonly Buffer[]>;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The policy of each table in each account. */
  readonly policies: ReadonlyMap<string, Policy>;
  /** By `spellingOf`. */
  readonly issued: ReadonlyMap<string, Issued>;
}

const SKEW_MAX = 15 * 60_000;

export const mac = (key: Buffer, text: string): Buffer =>
  createHmac('sha256', key).update(text, 'utf8').digest();

export const isSignedBy = (keys: readonly Buffer[] | undefined, text: string, signature: string): boolean =>
  keys?.some(key => mac(key, text).toString('base64') === signature) ?? false;

type Fields = ReadonlyMap<string, string>;

export class AskedFields extends Map<string, string> {
  /** Repeated names. */
  readonly twice = new Set<string>();

  hasTwice(names: string): boolean {
    return names.split(' ').some(name => this.twice.has(name));
  }
}

/** Names and values decoded; the first of each name counts. Undefined if something does not decode. */
export function fieldsOf(query: string, nameOf = (name: string): string => name): AskedFields | undefined {
  const fields = new AskedFields();
  try {
    for (const pair of query.split('&').filter(text => text !== '')) {
      const text = pair.startsWith('sig=') ? pair : pair.replaceAll('+', ' ');
      const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(text) ?? [];
      const decoded = decodeURIComponent(value);
      const decodedName = nameOf(decodeURIComponent(name));
      if (!fields.has(decodedName)) fields.set(decodedName, decoded);
      else fields.twice.add(decodedName);
    }
  } catch {
    return undefined;
  }
  return fields;
}

const TIME = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?)?(?:Z|([+-])(\d\d):(\d\d))?$/;

/** Milliseconds, or NaN for an invalid time. */
export function timeOf(text: string): number {
  const [, year, month, day, hour = '0', minute = '0', second = '0', sign, zoneHour = '0', zoneMinute = '0'] =
    TIME.exec(text) ?? [];
  if (year === undefined) return Number.NaN;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return Number.NaN;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59 || Number(zoneMinute) > 59)
    return Number.NaN;
  const zone = (Number(zoneHour) * 60 + Number(zoneMinute)) * (sign === '-' ? -1 : 1);
  return date.getTime() + ((Number(hour) * 60 + Number(minute) - zone) * 60 + Number(second)) * 1000;
}

export function isInTime(st: string | undefined, se: string | undefined, now: number): boolean {
  if (!se || !(now < timeOf(se))) return false;
  return !st || now >= timeOf(st);
}

function numberOfAddress(text: string): number {
  const parts = /^\d{1,3}(?:\.\d{1,3}){3}$/.test(text) ? text.split('.').map(Number) : [];
  return parts.length === 4 && parts.every(part => part <= 255)
    ? parts.reduce((all, part) => all * 256 + part, 0)
    : Number.NaN;
}

export function isFromThere(sip: string | undefined, address: string): boolean {
  if (!sip) return true;
  const [first = '', last = first, ...more] = sip.split('-');
  const own = numberOfAddress(address.replace(/^::ffff:/, ''));
  return more.length === 0 && own >= numberOfAddress(first) && own <= numberOfAddress(last);
}

export const isOverProtocol = (spr: string | undefined, secure: boolean): boolean =>
  !spr || spr === 'https,http' || spr === 'http,https' || (spr === 'https' && secure);

const NEEDS: Readonly<Record<AskKind, readonly [type: string, ...letters: string[]] | undefined>> = {
  insert: ['o', 'a'],
  upsert: ['o', 'a', 'u'],
  update: ['o', 'u'],
  merge: ['o', 'u'],
  delete: ['o', 'd'],
  get: ['o', 'r'],
  query: ['o', 'r'],
  listTables: ['c', 'l'],
  getTable: ['c', 'l'],
  createTable: ['c', 'cw'],
  deleteTable: ['c', 'd'],
  getPolicies: undefined,
  setPolicies: undefined,
  getProperties: ['s', 'r'],
  setProperties: ['s', 'w'],
};

const covers = (kind: AskKind, types: string, letters: string): boolean => {
  const [type, ...needed] = NEEDS[kind] ?? [];
  return (
    type !== undefined &&
    types.includes(type) &&
    needed.every(any => [...any].some(one => letters.includes(one)))
  );
};

export const linesOf = (fields: Fields, names: string): string[] =>
  names.split(' ').map(name => fields.get(name) ?? '');

const VERSION = /^\d{4}-\d\d-\d\d$/;
/** Signed parameters, and the signatures themselves: none of these may be repeated. */
const SIGNED = 'sig sv ss srt sp st se sip spr ses si';

/** The signed text, by the rules of a version: only those of its own are right. */
export function signedText(fields: Fields, account: string, version = fields.get('sv') ?? ''): string {
  if (fields.has('ss') || fields.has('srt')) {
    const scope = version >= '2020-12-06' ? ' ses' : '';
    return [account, ...linesOf(fields, `sp ss srt st se sip spr sv${scope}`), ''].join('\n');
  }
  const table = (fields.get('tn') ?? '').toLowerCase();
  const resource = `${version >= '2015-02-21' ? '/table' : ''}/${account}/${table}`;
  const place = version >= '2015-04-05' ? ' sip spr' : '';
  return [...linesOf(fields, 'sp st se'), resource, ...linesOf(fields, `si${place} sv spk srk epk erk`)].join(
    '\n',
  );
}

function mayByAccountToken(fields: AskedFields, ask: Ask, caller: Presented, known: Known): boolean {
  const sv = fields.get('sv') ?? '';
  if (!VERSION.test(sv) || sv < '2015-04-05' || fields.hasTwice(SIGNED)) return false;
  return (
    isSignedBy(known.keys.get(ask.account), signedText(fields, ask.account), fields.get('sig') ?? '') &&
    isInTime(fields.get('st'), fields.get('se'), known.now) &&
    isFromThere(fields.get('sip'), caller.remoteAddress) &&
    isOverProtocol(fields.get('spr'), caller.secure) &&
    (fields.get('ss') ?? '').includes('t') &&
    covers(ask.kind, fields.get('srt') ?? '', fields.get('sp') ?? '')
  );
}

/** Both bounds are inclusive; a row bounds only the rows of its partition. */
export function isInRange(fields: Fields, { partition, row }: Key): boolean {
  const [spk, srk, epk, erk] = linesOf(fields, 'spk srk epk erk');
  const isAfter = !spk || partition > spk || (partition === spk && (!srk || row >= srk));
  return isAfter && (!epk || partition < epk || (partition === epk && (!erk || row <= erk)));
}

/** The union of the token and its policy; undefined if both have a field, or if there is no such policy. */
export function completed(fields: Fields, { policies }: Pick<Known, 'policies'>): Fields | undefined {
  const id = fields.get('si');
  if (!id) return fields;
  const policy = policies.get(id);
  if (!policy) return undefined;
  const whole = new Map(fields);
  for (const [name, value] of Object.entries(policy)) {
    if (fields.get(name)) return undefined;
    whole.set(name, value);
  }
  return whole;
}

function mayByTableToken(fields: AskedFields, ask: Ask, caller: Presented, known: Known): boolean {
  const sv = fields.get('sv') ?? '';
  if (!VERSION.test(sv) || sv < '2012-02-12' || fields.hasTwice(`${SIGNED} tn spk srk epk erk`)) return false;
  const text = signedText(fields, ask.account);
  if (!isSignedBy(known.keys.get(ask.account), text, fields.get('sig') ?? '')) return false;
  const whole = completed(fields, known);
  const sp = whole?.get('sp') ?? '';
  const [spk, srk, epk, erk] = linesOf(fields, 'spk srk epk erk');
  return (
    whole !== undefined &&
    /^[raud]+$/.test(sp) &&
    isInTime(whole.get('st'), whole.get('se'), known.now) &&
    isFromThere(fields.get('sip'), caller.remoteAddress) &&
    isOverProtocol(fields.get('spr'), caller.secure) &&
    !(srk && !spk) &&
    !(erk && !epk) &&
    ask.table?.toLowerCase() === (fields.get('tn') ?? '').toLowerCase() &&
    covers(ask.kind, 'o', sp) &&
    (ask.key === undefined || isInRange(fields, ask.key))
  );
}

function mayByKey(header: string, ask: Ask, caller: Presented, known: Known): boolean {
  const [, lite, account = '', signature = ''] = /^SharedKey(Lite)? ([^:\s]+):([^:\s]+)$/.exec(header) ?? [];
  const { headers, target, method } = caller;
  const date = headers['x-ms-date'] ?? headers.date ?? '';
  if (account !== ask.account || !(Math.abs(Date.parse(date) - known.now) <= SKEW_MAX)) return false;
  const [path = '', query = ''] = target.split('?', 2);
  const fields = fieldsOf(query);
  if (fields?.hasTwice('comp') === true) return false;
  const comp = fields?.get('comp');
  const before = lite ? [] : [method, headers['content-md5'] ?? '', headers['content-type'] ?? ''];
  const paths = ask.isSecondary ? [path, path.replace('-secondary', '')] : [path];
  const spellings = paths.flatMap(one => [one, one.replaceAll("'", '%27'), one.replaceAll('%27', "'")]);
  return spellings.some(spelling => {
    const resource = `/${account}${spelling}${comp === undefined ? '' : `?comp=${comp}`}`;
    return isSignedBy(known.keys.get(account), [...before, date, resource].join('\n'), signature);
  });
}

const READS: ReadonlySet<AskKind> = new Set(['get', 'query', 'listTables', 'getTable']);

/** Equal for all base64 spellings of the same bytes. */
export function spellingOf(token: string): string {
  const [head, payload, signature = '', ...more] = token.split('.');
  return [head, payload, Buffer.from(signature, 'base64url').toString('hex'), ...more].join('.');
}

function mayByBearer(token: string, ask: Ask, caller: Presented, { issued, now }: Known): boolean {
  const found = issued.get(spellingOf(token));
  const isSafe = caller.secure || /^(?:127\.|::1$|::ffff:127\.)/.test(caller.remoteAddress);
  if (!found || !isSafe || found.account !== ask.account || now < found.from || now >= found.until)
    return false;
  if (ask.kind.endsWith('Policies')) return false;
  // Roles of the other services grant nothing on tables (protocol: authentication#roles).
  if (/^Storage (?:Queue|Blob) /.test(found.role)) return false;
  if (found.role === 'Storage Table Data Reader') return READS.has(ask.kind);
  return found.role === 'Storage Account Contributor' || !ask.kind.endsWith('Properties');
}

/** What authorized callers can request of the other region. */
const OF_SECONDARY: ReadonlySet<AskKind> = new Set([...READS, 'getPolicies', 'getProperties']);

/** A header takes precedence over the query. */
export function mayDo(ask: Ask, caller: Presented, known: Known): boolean {
  const { authorization } = caller.headers;
  const query = caller.target.split('?').slice(1).join('?');
  const fields = fieldsOf(query);
  if (!fields || (ask.isSecondary && !OF_SECONDARY.has(ask.kind))) return false;
  if (authorization !== undefined) {
    const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    return token === undefined
      ? mayByKey(authorization, ask, caller, known)
      : mayByBearer(token, ask, caller, known);
  }
  if (!fields.has('sig')) return false;
  const isAccountToken = fields.has('ss') || fields.has('srt');
  return (isAccountToken ? mayByAccountToken : mayByTableToken)(fields, ask, caller, known);
}

/** The range that a query is limited to. */
export const rangeOf = ({ target }: Presented): ReadonlyMap<string, string> =>
  fieldsOf(target.split('?').slice(1).join('?')) ?? new Map();
