// The Table service's calls over a connection, written by hand as by a client without a library.
import type { Sent, Wire } from '../../histories/ledger.js';
import { readAnswer } from '../judge/answer.js';
import type { Answer, Call, PageCall, TableHappening, Write, WritesCall } from '../judge/history.js';
import { formRefusal } from '../judge/judge.js';
import { textOf } from '../plan/expression.js';
import { memberOf } from '../plan/value.js';

const ACCOUNT = '/devstoreaccount1';
/** The parts of a batch name it. */
const ENDPOINT = `http://h${ACCOUNT}`;
const LEVEL = 'minimalmetadata';
const READS: ReadonlySet<Call['kind']> = new Set([
  'get',
  'page',
  'getTable',
  'getAcl',
  'queryTables',
  'getSettings',
]);

interface TableRequest {
  readonly method: string;
  /** Below the account, with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const BATCH_TYPE = { 'content-type': 'multipart/mixed; boundary=batch_1' };
const JSON_TYPE = { 'content-type': 'application/json' };

const keyText = (key: string): string => encodeURIComponent(key.replaceAll("'", "''"));
const entityPath = (table: string, partition: string, key: string): string =>
  `${table}(PartitionKey='${keyText(partition)}',RowKey='${keyText(key)}')`;

/** A continuation token: `1!`, the length, and the base64 with `-` for `=`. */
export function tokenOf(key: string): string {
  const encoded = Buffer.from(key).toString('base64').replaceAll('=', '-');
  return `1!${encoded.length}!${encoded}`;
}

function query(options: Readonly<Record<string, string | undefined>>): string {
  const parts = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return parts.length > 0 ? `?${parts.join('&')}` : '';
}

const VERBS: Readonly<Record<Write['kind'], string>> = {
  insert: 'POST',
  update: 'PUT',
  merge: 'MERGE',
  insertOrReplace: 'PUT',
  insertOrMerge: 'MERGE',
  delete: 'DELETE',
};

function writeRequest(table: string, write: Write): TableRequest {
  const { kind, partition, key, properties, ifMatch, nullName, patches } = write;
  const condition: Record<string, string> = ifMatch === undefined ? {} : { 'if-match': ifMatch };
  const path = kind === 'insert' ? table : entityPath(table, partition, key);
  if (kind === 'delete') return { method: 'DELETE', path, headers: condition, body: '' };
  const keys =
    kind === 'insert'
      ? [`"PartitionKey":${JSON.stringify(partition)}`, `"RowKey":${JSON.stringify(key)}`]
      : [];
  const absent = nullName === undefined ? [] : [`${JSON.stringify(nullName)}:null`];
  const members = [...keys, ...absent, ...properties.map(memberOf)];
  return {
    method: patches ? 'PATCH' : VERBS[kind],
    path,
    headers: { ...JSON_TYPE, ...condition },
    body: `{${members.join(',')}}`,
  };
}

function batchRequest({ table, writes }: WritesCall, accept: string): TableRequest {
  const lines = ['--batch_1', 'Content-Type: multipart/mixed; boundary=changeset_1', ''];
  writes.forEach((write, index) => {
    const { method, path, headers, body } = writeRequest(table, write);
    lines.push('--changeset_1', 'Content-Type: application/http', 'Content-Transfer-Encoding: binary', '');
    lines.push(`${method} ${ENDPOINT}/${path} HTTP/1.1`, `Content-ID: ${index}`, `Accept: ${accept}`);
    for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
    lines.push('', body);
  });
  lines.push('--changeset_1--', '--batch_1--', '');
  return {
    method: 'POST',
    path: '$batch',
    headers: BATCH_TYPE,
    body: lines.join('\r\n'),
  };
}

function batchQuery(target: string, accept: string): TableRequest {
  const part = ['Content-Type: application/http', 'Content-Transfer-Encoding: binary', ''];
  const lines = [
    '--batch_1',
    ...part,
    `GET ${target} HTTP/1.1`,
    `Accept: ${accept}`,
    '',
    '',
    '--batch_1--',
    '',
  ];
  return { method: 'POST', path: '$batch', headers: BATCH_TYPE, body: lines.join('\r\n') };
}

const aclDocument = (ids: readonly string[]): string =>
  `<SignedIdentifiers>${ids
    .map(
      id =>
        `<SignedIdentifier><Id>${id}</Id><AccessPolicy><Permission>r</Permission></AccessPolicy></SignedIdentifier>`,
    )
    .join('')}</SignedIdentifiers>`;

const settingsDocument = (origin: string): string =>
  `<StorageServiceProperties><Cors><CorsRule><AllowedOrigins>${origin}</AllowedOrigins><AllowedMethods>GET</AllowedMethods><AllowedHeaders/><ExposedHeaders/><MaxAgeInSeconds>5</MaxAgeInSeconds></CorsRule></Cors></StorageServiceProperties>`;

const read = (path: string): TableRequest => ({ method: 'GET', path, headers: {}, body: '' });

function requestOf(call: Call, accept: string): TableRequest {
  switch (call.kind) {
    case 'createTable':
      return { method: 'POST', path: 'Tables', headers: JSON_TYPE, body: `{"TableName":"${call.table}"}` };
    case 'deleteTable':
      return { ...read(`Tables('${call.table}')`), method: 'DELETE' };
    case 'getTable':
      return read(`Tables('${call.table}')`);
    case 'getAcl':
      return read(`${call.table}?comp=acl`);
    case 'setAcl':
      return { ...read(`${call.table}?comp=acl`), method: 'PUT', body: aclDocument(call.ids) };
    case 'getSettings':
      return read('?restype=service&comp=properties');
    case 'setSettings':
      return {
        ...read('?restype=service&comp=properties'),
        method: 'PUT',
        body: settingsDocument(call.origin),
      };
    case 'queryTables':
      return read(
        `Tables${query({ $top: call.top?.toString(), NextTableName: call.from && tokenOf(call.from) })}`,
      );
    case 'get': {
      const path =
        entityPath(call.table, call.partition, call.key) + query({ $select: call.select?.join(',') });
      return call.isBatch ? batchQuery(`${ENDPOINT}/${path}`, accept) : read(path);
    }
    case 'page':
      return read(
        `${call.table}()${query({
          $filter: call.filter && textOf(call.filter),
          $top: call.top?.toString(),
          $select: call.select?.join(','),
          NextPartitionKey: call.from && tokenOf(call.from.partition),
          NextRowKey: call.from && call.from.key !== '' ? tokenOf(call.from.key) : undefined,
        })}`,
      );
    case 'writes': {
      const [first] = call.writes;
      if (call.isBatch || !first) return batchRequest(call, accept);
      const plain = writeRequest(call.table, first);
      return call.prefer && first.kind === 'insert'
        ? { ...plain, headers: { ...plain.headers, prefer: call.prefer } }
        : plain;
    }
  }
}

/** The first page of everything in a table. */
export const pageOf = (table: string): PageCall => ({
  kind: 'page',
  table,
  filter: undefined,
  top: undefined,
  select: undefined,
  from: undefined,
});

export type SentTableCall = Sent<Call, Answer> & TableHappening;

const MORE = { client: 0, level: LEVEL } as const;

export const TABLE_WIRE: Wire<Call, Answer, SentTableCall> = {
  name: 'table',
  more: MORE,
  isWrite: ({ kind }) => !READS.has(kind),
  isMalformed: call => call.kind === 'writes' && formRefusal(call) !== undefined,
  send: (sender, call, { level } = MORE) => {
    const accept = `application/json;odata=${level}`;
    const { method, path, headers, body } = requestOf(call, accept);
    return sender.request({ method, target: `${ACCOUNT}/${path}`, headers: { accept, ...headers }, body });
  },
  read: (call, reply, { level } = MORE) => readAnswer(call, reply, level),
  show: call => {
    if (call.kind === 'get') return `get ${call.partition}/${call.key}`;
    if (call.kind !== 'writes') return `${call.kind} ${'table' in call ? call.table : ''}`;
    return call.writes
      .map(
        ({ kind, partition, key, ifMatch = '', properties: [first] }) =>
          `${kind} ${partition}/${key} ${ifMatch} ${first?.[1].text.slice(0, 20) ?? ''}`,
      )
      .join(', ');
  },
};
