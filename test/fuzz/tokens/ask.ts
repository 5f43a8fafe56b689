// What a caller tries to do, as a request without credentials, and how its answer shows whether the caller was admitted.
import fc from 'fast-check';
import { chance, from, oneOf, seldom } from '../../random/arbitrary.js';
import { POLICY_DOCUMENT } from './policies.js';

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

type Wire = readonly [verb: string, path: string, query?: string, body?: string];

const ENTITY = "TABLE(PartitionKey='PARTITION',RowKey='ROW')";
const SERVICE = 'restype=service&comp=properties';
const WIRES = {
  insert: ['POST', 'TABLE', '', '{"PartitionKey":"PARTITION","RowKey":"ROW"}'],
  upsert: ['PUT', ENTITY, '', '{"n":1}'],
  update: ['PUT', ENTITY, '', '{"n":1}'],
  merge: ['MERGE', ENTITY, '', '{"n":1}'],
  delete: ['DELETE', ENTITY],
  get: ['GET', ENTITY],
  query: ['GET', 'TABLE'],
  listTables: ['GET', 'Tables'],
  getTable: ['GET', "Tables('People')"],
  createTable: ['POST', 'Tables', '', '{"TableName":"Made"}'],
  deleteTable: ['DELETE', "Tables('Gone')"],
  getPolicies: ['GET', 'TABLE', 'comp=acl'],
  setPolicies: ['PUT', 'TABLE', 'comp=acl', POLICY_DOCUMENT],
  getProperties: ['GET', '', SERVICE],
  setProperties: ['PUT', '', SERVICE, '<StorageServiceProperties/>'],
} as const satisfies Readonly<Record<string, Wire>>;

export type AskKind = keyof typeof WIRES;

const CONDITIONAL: ReadonlySet<AskKind> = new Set(['update', 'merge', 'delete']);
const KEYED = ['insert', 'upsert', 'update', 'merge', 'delete', 'get', 'get'] as const;
const ON_SERVICE = [
  'listTables',
  'getTable',
  'createTable',
  'deleteTable',
  'getProperties',
  'setProperties',
] as const;

const COMMON = {
  account: seldom<string>(10, fc.constant(ACCOUNTS[1]), fc.constant(ACCOUNTS[0])),
  isSecondary: chance(6),
  isTunnelled: chance(6),
  isBatch: fc.constant(false),
  key: fc.constant(undefined),
  table: from(['People', 'People', 'people', 'Other']),
};
const keyed = {
  kind: from(KEYED),
  isBatch: chance(20),
  key: fc.record({ partition: from(PARTITIONS), row: from(ROWS) }),
};

export const asks: fc.Arbitrary<Ask> = oneOf<Ask>(
  [58, fc.record({ ...COMMON, ...keyed })],
  [17, fc.record({ ...COMMON, kind: from(['query']) })],
  [6, fc.record({ ...COMMON, kind: from(['getPolicies', 'setPolicies']) })],
  [19, fc.record({ ...COMMON, kind: from(ON_SERVICE), table: fc.constant(undefined) })],
).map(ask => {
  const { kind, key } = ask;
  // A batch cannot contain a GET in disguise.
  const isTunnelled = ask.isTunnelled && !ask.isBatch && WIRES[kind][0] !== 'POST';
  return { ...ask, isTunnelled, key: kind === 'delete' && key ? { ...key, row: DELETED_ROW } : key };
});

function single({ kind, table = '', key, isTunnelled }: Ask): AskRequest {
  const [verb, path, query = '', body = '']: Wire = WIRES[kind];
  const filled = (text: string): string =>
    text
      .replace('TABLE', table)
      .replace('PARTITION', key?.partition ?? '')
      .replace('ROW', key?.row ?? '');
  const headers = {
    accept: 'application/json;odata=nometadata',
    ...(CONDITIONAL.has(kind) && { 'if-match': '*' }),
    ...(isTunnelled && { 'x-http-method': verb }),
  };
  return { method: isTunnelled ? 'POST' : verb, path: filled(path), query, headers, body: filled(body) };
}

/** As the path names it. */
export const accountPath = ({ account, isSecondary }: Ask): string =>
  `/${account}${isSecondary ? '-secondary' : ''}`;

function batched(ask: Ask): AskRequest {
  const { method, path, headers, body } = single(ask);
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const line = `${method} ${accountPath(ask)}/${path} HTTP/1.1`;
  const part = ['Content-Type: application/http', '', line, ...head, '', body];
  const changeset = ['Content-Type: multipart/mixed; boundary=c', '', '--c', ...part, '--c--'];
  return {
    method: 'POST',
    path: '$batch',
    query: '',
    headers: { 'content-type': 'multipart/mixed; boundary=b' },
    body: ['--b', ...(ask.kind === 'get' ? part : changeset), '--b--', ''].join('\r\n'),
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
