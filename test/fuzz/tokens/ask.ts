// What a caller tries to do, as a request without credentials, and how its answer shows whether the caller was admitted.
import fc from 'fast-check';
import { chance, from, oneOf, seldom } from '../../random/arbitrary.js';
import { POLICY_DOCUMENT } from './policies.js';

export type AskKind =
  | 'insert'
  | 'upsert'
  | 'update'
  | 'merge'
  | 'delete'
  | 'get'
  | 'query'
  | 'listTables'
  | 'getTable'
  | 'createTable'
  | 'deleteTable'
  | 'getPolicies'
  | 'setPolicies'
  | 'getProperties'
  | 'setProperties';

export interface Key {
  readonly partition: string;
  readonly row: string;
}

/** One thing to do. A query has no key, and neither have operations on tables and the service. */
export interface Ask {
  readonly kind: AskKind;
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

interface AskRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const ACCOUNTS = ['devstoreaccount1', 'second'] as const;
export const TABLES = ['People', 'Other'] as const;
/** Some are immediate successors of others. */
export const PARTITIONS = ['a', 'b', 'b!', 'c', 'd'] as const;
/** They always exist, and are never deleted. */
export const ROWS = ['1', '2', '2!', '3', '4'] as const;
const DELETED_ROW = '9';

const KEYED_KINDS: readonly AskKind[] = ['insert', 'upsert', 'update', 'merge', 'delete', 'get', 'get'];
const BATCHED: ReadonlySet<AskKind> = new Set(['insert', 'upsert', 'update', 'merge', 'delete', 'get']);

const VERBS: Readonly<Record<AskKind, string>> = {
  insert: 'POST',
  upsert: 'PUT',
  update: 'PUT',
  merge: 'MERGE',
  delete: 'DELETE',
  get: 'GET',
  query: 'GET',
  listTables: 'GET',
  getTable: 'GET',
  createTable: 'POST',
  deleteTable: 'DELETE',
  getPolicies: 'GET',
  setPolicies: 'PUT',
  getProperties: 'GET',
  setProperties: 'PUT',
};

const TABLE = from(['People', 'People', 'people', 'Other']);
const COMMON = {
  account: seldom<string>(10, fc.constant(ACCOUNTS[1]), fc.constant(ACCOUNTS[0])),
  isSecondary: chance(6),
  isTunnelled: chance(6),
  isBatch: chance(20),
  key: fc.constant(undefined),
  table: TABLE,
};
const onService = [
  'listTables',
  'getTable',
  'createTable',
  'deleteTable',
  'getProperties',
  'setProperties',
] as const;

export const asks: fc.Arbitrary<Ask> = oneOf<Ask>(
  [
    58,
    fc.record({
      ...COMMON,
      kind: from(KEYED_KINDS),
      key: fc.record({ partition: from(PARTITIONS), row: from(ROWS) }),
    }),
  ],
  [17, fc.record({ ...COMMON, kind: from(['query']) })],
  [6, fc.record({ ...COMMON, kind: from(['getPolicies', 'setPolicies']) })],
  [19, fc.record({ ...COMMON, kind: from(onService), table: fc.constant(undefined) })],
).map(ask => {
  const { kind, key } = ask;
  const isBatch = ask.isBatch && BATCHED.has(kind);
  // A batch cannot contain a GET in disguise.
  const isTunnelled = ask.isTunnelled && !isBatch && VERBS[kind] !== 'POST';
  return { ...ask, isBatch, isTunnelled, key: kind === 'delete' && key ? { ...key, row: DELETED_ROW } : key };
});

const CONDITIONAL: ReadonlySet<AskKind> = new Set(['update', 'merge', 'delete']);

function placeOf({ kind, table = '', key }: Ask): readonly [path: string, query: string] {
  if (kind === 'insert' || kind === 'query') return [table, ''];
  if (key) return [`${table}(PartitionKey='${key.partition}',RowKey='${key.row}')`, ''];
  if (kind.endsWith('Policies')) return [table, 'comp=acl'];
  if (kind.endsWith('Properties')) return ['', 'restype=service&comp=properties'];
  return [
    kind === 'listTables' || kind === 'createTable'
      ? 'Tables'
      : `Tables('${kind === 'getTable' ? 'People' : 'Gone'}')`,
    '',
  ];
}

function bodyOf({ kind, key }: Ask): string {
  if (kind === 'insert' && key) return JSON.stringify({ PartitionKey: key.partition, RowKey: key.row });
  if (kind === 'createTable') return '{"TableName":"Made"}';
  if (kind === 'setProperties') return '<StorageServiceProperties/>';
  if (kind === 'setPolicies') return POLICY_DOCUMENT;
  return kind === 'upsert' || kind === 'update' || kind === 'merge' ? '{"n":1}' : '';
}

function single(ask: Ask): AskRequest {
  const [path, query] = placeOf(ask);
  const headers: Record<string, string> = { accept: 'application/json;odata=nometadata' };
  if (CONDITIONAL.has(ask.kind)) headers['if-match'] = '*';
  if (ask.isTunnelled) headers['x-http-method'] = VERBS[ask.kind];
  const method = ask.isTunnelled ? 'POST' : VERBS[ask.kind];
  return { method, path, query, headers, body: bodyOf(ask) };
}

/** As the path names it. */
export const accountPath = ({ account, isSecondary }: Ask): string =>
  `/${account}${isSecondary ? '-secondary' : ''}`;

function batched(ask: Ask): AskRequest {
  const { method, path, headers, body } = single(ask);
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const part = [
    'Content-Type: application/http',
    '',
    `${method} ${accountPath(ask)}/${path} HTTP/1.1`,
    ...head,
    '',
    body,
  ];
  const lines =
    ask.kind === 'get'
      ? ['--b', ...part, '--b--', '']
      : ['--b', 'Content-Type: multipart/mixed; boundary=c', '', '--c', ...part, '--c--', '--b--', ''];
  return {
    method: 'POST',
    path: '$batch',
    query: '',
    headers: { 'content-type': 'multipart/mixed; boundary=b' },
    body: lines.join('\r\n'),
  };
}

export const requestOf = (ask: Ask): AskRequest => (ask.isBatch ? batched(ask) : single(ask));

/** What these name need not exist. */
const MAY_MISS: ReadonlySet<AskKind> = new Set(['delete', 'deleteTable']);

/** 404 and 409 reveal the state, which unauthorized callers never learn. A point outside of a range does not exist. */
export function isLetIn({ kind, isBatch }: Ask, status: number, body: string): boolean {
  const own = isBatch && status === 202 ? Number(/\r\nHTTP\/1\.1 (\d{3}) /.exec(body)?.[1] ?? 0) : status;
  return (own >= 200 && own < 300) || own === 409 || (own === 404 && MAY_MISS.has(kind));
}
