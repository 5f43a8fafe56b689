// Attempts at tables: what is asked for, by which credentials, and whether these permit it (protocol: authentication, sas). Uses
// no code of the packages.
import { below, chance, type Draw, from, maybe, weighted } from '../../random/arbitrary.js';
import { DATE } from '../world.js';
import { POLICIES, POLICY_DOCUMENT } from './policies.js';
import { spelled } from './spelling.js';
import * as token from './token.js';

interface Key {
  readonly partition: string;
  readonly row: string;
}

/** A query has no key, and neither have operations on tables and the service. */
interface Ask {
  readonly kind: Kind;
  readonly account: string;
  /** As the request spells it. */
  readonly table: string | undefined;
  readonly key: Key | undefined;
  /** In a batch of its own. */
  readonly isBatch: boolean;
  /** Sent as POST, with its verb in X-HTTP-Method. */
  readonly isTunnelled: boolean;
  /** In the account's other region, where nothing can be written. */
  readonly isSecondary: boolean;
}

/** A bearer token as it was issued. */
export interface Issued {
  readonly token: string;
  readonly account: string;
  readonly role: string;
  /** Its time has begun, and is not over. */
  readonly isInTime: boolean;
}

/** The callers' secrets. */
export interface Secrets {
  readonly keys: ReadonlyMap<string, readonly Buffer[]>;
  readonly bearers: readonly Issued[];
  /** Tokens that are used again and again, so that the server caches them. */
  readonly granted: readonly Granted[];
}

interface Granted {
  readonly account: string;
  readonly pairs: token.Pairs;
}

export interface Attempt {
  readonly caller: token.Presented;
  readonly body: string;
  readonly may: boolean;
  /** The kind of what the caller presents. */
  readonly credential: string;
  readonly isLetIn: (status: number, body: string) => boolean;
  /** Of a query that is let in: whether it shows the row. */
  readonly shows: ((key: Key) => boolean) | undefined;
}

export const ACCOUNTS = ['devstoreaccount1', 'second'] as const;
export const TABLES = ['People', 'Other'] as const;
/** Some are immediate successors of others. */
export const PARTITIONS = ['a', 'b', 'b!', 'c', 'd'] as const;
/** They always exist, and are never deleted. */
export const ROWS = ['1', '2', '2!', '3', '4'] as const;
const DELETED_ROW = '9';

const ENTITY = "TABLE(PartitionKey='PARTITION',RowKey='ROW')";
const SERVICE = 'restype=service&comp=properties';
/** What it needs of an account's signature: a resource type, and sets of letters, one letter of each; then its request. */
const OPERATIONS = {
  insert: ['o a', 'POST', 'TABLE', '', '{"PartitionKey":"PARTITION","RowKey":"ROW"}'],
  upsert: ['o a u', 'PUT', ENTITY, '', '{"n":1}'],
  update: ['o u', 'PUT', ENTITY, '', '{"n":1}'],
  merge: ['o u', 'MERGE', ENTITY, '', '{"n":1}'],
  delete: ['o d', 'DELETE', ENTITY],
  get: ['o r', 'GET', ENTITY],
  query: ['o r', 'GET', 'TABLE'],
  listTables: ['c l', 'GET', 'Tables'],
  getTable: ['c l', 'GET', "Tables('People')"],
  createTable: ['c cw', 'POST', 'Tables', '', '{"TableName":"Made"}'],
  deleteTable: ['c d', 'DELETE', "Tables('Gone')"],
  getPolicies: ['- -', 'GET', 'TABLE', 'comp=acl'],
  setPolicies: ['- -', 'PUT', 'TABLE', 'comp=acl', POLICY_DOCUMENT],
  getProperties: ['s r', 'GET', '', SERVICE],
  setProperties: ['s w', 'PUT', '', SERVICE, '<StorageServiceProperties/>'],
} as const satisfies Readonly<Record<string, Operation>>;
type Operation = readonly [needs: string, verb: string, path: string, query?: string, body?: string];
type Kind = keyof typeof OPERATIONS;

const KINDS = weighted<readonly Kind[]>(
  [50, ['insert', 'upsert', 'update', 'merge', 'delete', 'get', 'get']],
  [25, ['query']],
  [6, ['getPolicies', 'setPolicies']],
  [19, ['listTables', 'getTable', 'createTable', 'deleteTable', 'getProperties', 'setProperties']],
);
const READS: ReadonlySet<Kind> = new Set(['get', 'query', 'listTables', 'getTable']);
const OF_SECONDARY: ReadonlySet<Kind> = new Set([...READS, 'getPolicies', 'getProperties']);

/** Half of the time at an end of the range of the token that is presented, if it has one. */
function someAsk(draw: Draw, known: Granted | undefined): Ask {
  const kind = draw(from(draw(KINDS)));
  const [, verb, path]: Operation = OPERATIONS[kind];
  const isKeyed = path === ENTITY || kind === 'insert';
  const isBatch = isKeyed && draw(chance(20));
  const row = kind === 'delete' ? DELETED_ROW : draw(from(ROWS));
  const ends = (known?.pairs ?? []).flatMap(([name, value]) => (/^[se]pk$/.test(name) && value ? value : []));
  const partitions = ends.length > 0 && draw(chance(50)) ? ends : PARTITIONS;
  return {
    kind,
    account: draw(chance(10)) ? ACCOUNTS[1] : ACCOUNTS[0],
    table: /TABLE/.test(path) ? draw(from(['People', 'People', 'people', 'Other'])) : undefined,
    key: isKeyed ? { partition: draw(from(partitions)), row } : undefined,
    isBatch,
    // A batch cannot contain a GET in disguise.
    isTunnelled: !isBatch && verb !== 'POST' && draw(chance(6)),
    isSecondary: draw(chance(6)),
  };
}

/** Without credentials; the query is apart. */
interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function requestOf({ kind, account, table = '', key, isBatch, isTunnelled, isSecondary }: Ask): Request {
  const [, verb, named, query = '', text = '']: Operation = OPERATIONS[kind];
  const filled = (template: string): string =>
    template
      .replace('TABLE', table)
      .replace('PARTITION', key?.partition ?? '')
      .replace('ROW', key?.row ?? '');
  const base = `/${account}${isSecondary ? '-secondary' : ''}/`;
  const [path, body] = [base + filled(named), filled(text)];
  const headers = {
    accept: 'application/json;odata=nometadata',
    ...(['update', 'merge', 'delete'].includes(kind) && { 'if-match': '*' }),
    ...(isTunnelled && { 'x-http-method': verb }),
  };
  if (!isBatch) return { method: isTunnelled ? 'POST' : verb, path, query, headers, body };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const part = ['Content-Type: application/http', '', `${verb} ${path} HTTP/1.1`, ...head, '', body];
  const changeset = ['Content-Type: multipart/mixed; boundary=c', '', '--c', ...part, '--c--'];
  return {
    method: 'POST',
    path: `${base}$batch`,
    query: '',
    headers: { 'content-type': 'multipart/mixed; boundary=b' },
    body: ['--b', ...(kind === 'get' ? part : changeset), '--b--', ''].join('\r\n'),
  };
}

/** 404 and 409 reveal the state, which unauthorized callers never learn. A point outside of a range does not exist. */
function isLetIn({ kind, isBatch }: Ask, status: number, body: string): boolean {
  const own = isBatch && status === 202 ? Number(/\r\nHTTP\/1\.1 (\d{3}) /.exec(body)?.[1] ?? 0) : status;
  const mayMiss = kind === 'delete' || kind === 'deleteTable';
  return (own >= 200 && own < 300) || own === 409 || (own === 404 && mayMiss);
}

interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: string;
  readonly may: boolean;
  readonly shows?: Attempt['shows'];
}

type Place = Pick<token.Presented, 'secure' | 'remoteAddress'>;

const OTHER_KEY = Buffer.from('no key of any account');
const VERSION = from(['2012-02-12', '2015-02-21', '2015-04-05', '2020-12-06']);

function someKey(draw: Draw, account: string, { keys }: Secrets): Buffer {
  const own = keys.get(account) ?? [OTHER_KEY];
  return draw(from(draw(chance(95)) ? own : [OTHER_KEY, Buffer.alloc(0), ...[...keys.values()].flat()]));
}

/** Sometimes signed for another account, by another key or by another version's rules. */
export function someGranted(draw: Draw, secrets: Secrets, isOfTable: boolean): Granted {
  const account = draw(chance(90)) ? ACCOUNTS[0] : ACCOUNTS[1];
  const pairs = draw(isOfTable ? token.tableToken : token.tableAccountToken);
  const signedFor = draw(chance(97)) ? account : draw(from([...secrets.keys.keys(), 'nobody']));
  const text = token.tableText(new Map(pairs), signedFor, draw(maybe(4, VERSION)));
  return { account, pairs: [...pairs, ['sig', token.mac(someKey(draw, account, secrets), text)]] };
}

/** Both bounds are inclusive; a row bounds only the rows of its partition. */
function isInRange(fields: token.Fields, { partition, row }: Key): boolean {
  const [spk, srk, epk, erk] = token.linesOf(fields, 'spk srk epk erk');
  const isAfter = !spk || partition > spk || (partition === spk && (!srk || row >= srk));
  return isAfter && (!epk || partition < epk || (partition === epk && (!erk || row <= erk)));
}

function mayByTableToken(fields: token.Fields, ask: Ask): boolean {
  const whole = token.completed(fields, POLICIES);
  const sp = whole?.get('sp') ?? '';
  return (
    whole !== undefined &&
    token.isVersionOf(fields, 'table') &&
    /^[raud]+$/.test(sp) &&
    token.isInTime(whole) &&
    !(fields.get('srk') && !fields.get('spk')) &&
    !(fields.get('erk') && !fields.get('epk')) &&
    ask.table?.toLowerCase() === (fields.get('tn') ?? '').toLowerCase() &&
    token.covers(OPERATIONS[ask.kind][0], 'o', sp) &&
    (ask.key === undefined || isInRange(fields, ask.key))
  );
}

const mayByAccountToken = (fields: token.Fields, { kind }: Ask): boolean =>
  token.isVersionOf(fields, 'account') &&
  token.isInTime(fields) &&
  (fields.get('ss') ?? '').includes('t') &&
  token.covers(OPERATIONS[kind][0], fields.get('srt') ?? '', fields.get('sp') ?? '');

function someSas(
  draw: Draw,
  ask: Ask,
  secrets: Secrets,
  place: Place,
  known: Granted | undefined,
): Credentials {
  const isOfTable = draw(chance(56));
  const isUsed = known !== undefined && (known.account === ask.account || draw(chance(20)));
  const granted = isUsed ? known : someGranted(draw, secrets, isOfTable);
  const { pairs } = granted;
  const textOf = (some: token.Fields): string => token.tableText(some, ask.account);
  const { query, fields, isIntact } = spelled(
    { pairs, textOf, own: token.TABLE_FIELDS, hasAnyCase: false },
    draw,
  );
  const mayBy = token.isAccountToken(fields) ? mayByAccountToken : mayByTableToken;
  const keys = secrets.keys.get(ask.account) ?? [];
  const isSound = isIntact && keys.some(key => token.mac(key, textOf(fields)) === fields.get('sig'));
  return {
    headers: {},
    query,
    may: isSound && token.isFor(fields, place) && mayBy(fields, ask),
    shows: token.isAccountToken(fields) ? undefined : key => isInRange(fields, key),
  };
}

const DATES = [DATE, 'Wed, 01 Jan 2020 00:47:00 GMT', 'Wed, 01 Jan 2020 01:17:00 GMT'];
/** The service accepts a quarter of an hour. */
const BAD_DATES = [
  ...[
    'Wed, 01 Jan 2020 00:46:59 GMT',
    'Wed, 01 Jan 2020 01:17:01 GMT',
    'Thu, 02 Jan 2020 01:02:00 GMT',
    'x',
    '',
  ],
];

function someKeySignature(draw: Draw, ask: Ask, secrets: Secrets, request: Request): Credentials {
  const { method, path, query, headers } = request;
  let may = true;
  /** Whatever is different from the right one is refused. */
  const mostly = (right: string, ...wrong: readonly string[]): string => {
    const taken = draw(chance(94)) ? right : draw(from(wrong));
    may &&= taken === right;
    return taken;
  };
  const isLite = draw(chance(50));
  const scheme = draw(chance(96))
    ? isLite
      ? 'SharedKeyLite'
      : 'SharedKey'
    : draw(from(['sharedkey', 'Bearer']));
  may &&= scheme.startsWith('Shared');
  const date = draw(from(draw(chance(85)) ? DATES : BAD_DATES));
  may &&= DATES.includes(date);
  const paths = [path, path, path.replaceAll("'", '%27')];
  if (ask.isSecondary) paths.push(path.replace('-secondary', ''));
  const otherPaths = [`${path}/`, path.toLowerCase(), path.slice(0, -1), path.replace('-secondary', ''), '/'];
  const signedPath = draw(from(draw(chance(94)) ? paths : otherPaths));
  may &&= paths.includes(signedPath);
  const comp = /(?:^|&)comp=(\w*)/.exec(query)?.[1];
  const signedComp = mostly(comp === undefined ? '' : `?comp=${comp}`, '?comp=acl', `?${query}`, '');
  const type = headers['content-type'] ?? '';
  const full = `${method}\n\n${type}\n`;
  const before = mostly(isLite ? '' : full, `${method}\n\n\n`, `GET\n\n${type}\n`, '');
  const key = someKey(draw, ask.account, secrets);
  may &&= secrets.keys.get(ask.account)?.some(each => each.equals(key)) ?? false;
  const made = token.mac(key, `${before}${date}\n/${ask.account}${signedPath}${signedComp}`);
  const altered = [made.slice(0, -2), made.toLowerCase(), '', `${made}=`, `A${made.slice(1)}`];
  const signature = mostly(made, ...altered);
  const account = mostly(ask.account, 'second', 'devstoreaccount1', 'nobody', `${ask.account}-secondary`);
  const sent = draw(chance(94)) ? date : draw(from(DATES));
  const own = { 'x-ms-date': sent };
  const others = [
    { date: sent },
    { date: draw(from(DATES)), ...own },
    { date, 'x-ms-date': draw(from(DATES)) },
    {},
  ];
  const dates: Credentials['headers'] = draw(chance(80)) ? own : draw(from(others));
  may &&= (dates['x-ms-date'] ?? dates.date) === date;
  return { headers: { ...dates, authorization: `${scheme} ${account}:${signature}` }, query: '', may };
}

const encoded = (document: unknown): string => Buffer.from(JSON.stringify(document)).toString('base64url');

/** What an attacker would like to have. */
function forgedBearer(draw: Draw, { account }: Ask, { token: issued }: Issued, secrets: Secrets): string {
  const [head = '', payload = '', signature = ''] = issued.split('.');
  const claims: Readonly<Record<string, unknown>> = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const roles = ['Storage Account Contributor'];
  const more = `${head}.${encoded({ ...claims, roles, sub: account, exp: 4_000_000_000 })}`;
  const none = encoded({ alg: 'none', typ: 'JWT' });
  const signedBy = (key: Buffer): string => Buffer.from(token.mac(key, more), 'base64').toString('base64url');
  const [accountKey = OTHER_KEY] = secrets.keys.get(account) ?? [];
  return draw(
    from([
      `${more}.${signature}`,
      `${none}.${more.split('.')[1]}.`,
      `${none}.${payload}.${signature}`,
      `${more}.${signedBy(OTHER_KEY)}`,
      // The account's key itself is not the key of tokens.
      `${more}.${signedBy(accountKey)}`,
      `${head}.${payload}.${signature.slice(0, -1)}`,
      `${head}.${payload}.${signature.toLowerCase()}`,
      `${head}.${payload}`,
      `${issued}.`,
      `${head}.${draw(from(secrets.bearers)).token.split('.')[1]}.${signature}`,
    ]),
  );
}

function mayByRole(role: string, kind: Kind): boolean {
  if (kind.endsWith('Policies')) return false;
  // Roles of the other services grant nothing on tables (protocol: authentication#roles).
  if (/^Storage (?:Queue|Blob) /.test(role)) return false;
  if (role === 'Storage Table Data Reader') return READS.has(kind);
  return role === 'Storage Account Contributor' || !kind.endsWith('Properties');
}

function someBearer(draw: Draw, ask: Ask, secrets: Secrets, { secure, remoteAddress }: Place): Credentials {
  const issued = draw(from(secrets.bearers));
  const text = draw(chance(60)) ? issued.token : forgedBearer(draw, ask, issued, secrets);
  const scheme = draw(from(['Bearer', 'Bearer', 'Bearer', 'bearer', 'Bearer  ', 'SharedKey']));
  const isSafe = secure || /^(?:127\.|::1$|::ffff:127\.)/.test(remoteAddress);
  const isSound = text === issued.token && scheme !== 'SharedKey' && issued.account === ask.account;
  const may = isSound && isSafe && issued.isInTime && mayByRole(issued.role, ask.kind);
  return { headers: { authorization: `${scheme} ${text}` }, query: '', may };
}

function someCredentials(
  draw: Draw,
  ask: Ask,
  secrets: Secrets,
  request: Request,
  place: Place,
  known: Granted | undefined,
): Credentials {
  const kind = draw(below(40));
  if (kind < 24) return someSas(draw, ask, secrets, place, known);
  if (kind < 34) return someKeySignature(draw, ask, secrets, request);
  if (kind < 38) return someBearer(draw, ask, secrets, place);
  if (kind < 39) return { headers: {}, query: '', may: false };
  // A header takes precedence over the query.
  const { pairs } = draw(from(secrets.granted));
  const query = new URLSearchParams(Object.fromEntries(pairs)).toString();
  return { ...someKeySignature(draw, ask, secrets, request), query };
}

export function someAttempt(draw: Draw, secrets: Secrets): Attempt {
  const known = draw(chance(75)) ? draw(from(secrets.granted)) : undefined;
  const ask = someAsk(draw, known);
  const request = requestOf(ask);
  const place = { secure: draw(chance(30)), remoteAddress: draw(from(token.ADDRESSES)) };
  const credentials = someCredentials(draw, ask, secrets, request, place, known);
  const { authorization } = credentials.headers;
  // The first one counts, so that a token's fields cannot change the request.
  const query = [request.query, credentials.query].filter(text => text !== '').join('&');
  const length = String(Buffer.byteLength(request.body));
  const common = { host: '127.0.0.1:10002', 'x-ms-version': '2019-02-02', 'content-length': length };
  return {
    caller: {
      method: request.method,
      target: query === '' ? request.path : `${request.path}?${query}`,
      headers: { ...common, ...request.headers, ...credentials.headers },
      ...place,
    },
    body: request.body,
    may: credentials.may && (!ask.isSecondary || OF_SECONDARY.has(ask.kind)),
    credential: authorization?.split(' ', 1)[0] ?? (/\bsrt=/.test(query) ? 'account SAS' : 'service SAS'),
    isLetIn: (status, body) => isLetIn(ask, status, body),
    shows: ask.kind === 'query' ? (credentials.shows ?? (() => true)) : undefined,
  };
}
