// What a caller tries to do, as a request without credentials, and how its answer shows whether the caller was admitted.
import type { Random } from '../../simulation/plan/random.js';
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

const ENTITY_KINDS: readonly AskKind[] = [
  'insert',
  'upsert',
  'update',
  'merge',
  'delete',
  'get',
  'get',
  'query',
  'query',
];
const OTHER_KINDS: readonly AskKind[] = [
  ...(['listTables', 'getTable', 'createTable', 'deleteTable'] as const),
  ...(['getPolicies', 'setPolicies', 'getProperties', 'setProperties'] as const),
];
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

export function someAsk(random: Random): Ask {
  const isOfEntities = random.happens(0.75);
  const kind = random.pick(isOfEntities ? ENTITY_KINDS : OTHER_KINDS);
  const hasKey = isOfEntities && kind !== 'query';
  const isBatch = BATCHED.has(kind) && random.happens(0.2);
  return {
    kind,
    account: random.happens(0.9) ? ACCOUNTS[0] : ACCOUNTS[1],
    table:
      isOfEntities || kind.endsWith('Policies')
        ? random.pick(['People', 'People', 'people', 'Other'])
        : undefined,
    key: hasKey
      ? { partition: random.pick(PARTITIONS), row: kind === 'delete' ? DELETED_ROW : random.pick(ROWS) }
      : undefined,
    isBatch,
    // A batch cannot contain a GET in disguise.
    isTunnelled: !isBatch && VERBS[kind] !== 'POST' && random.happens(0.06),
    isSecondary: random.happens(0.06),
  };
}

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
