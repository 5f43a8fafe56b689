// The Table service's calls over a connection.
import type { Sent, Wire } from '../../histories/ledger.js';
import { readAnswer } from '../judge/answer.js';
import type { Answer, Call, PageCall, TableHappening } from '../judge/history.js';
import { buildRequest } from './request.js';

const ACCOUNT = '/devstoreaccount1';
const LEVEL = 'minimalmetadata';
const READS: ReadonlySet<Call['kind']> = new Set([
  'get',
  'page',
  'getTable',
  'getAcl',
  'queryTables',
  'getSettings',
]);

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

export const TABLE_WIRE: Wire<Call, Answer, SentTableCall> = {
  name: 'table',
  more: { client: 0, level: LEVEL },
  isWrite: ({ kind }) => !READS.has(kind),
  send: (sender, call) => {
    const { method, path, headers, body } = buildRequest(call, LEVEL, `http://h${ACCOUNT}`);
    return sender.request({ method, target: `${ACCOUNT}/${path}`, headers, body });
  },
  read: (call, { status, headers, body }) => {
    const named = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
    return readAnswer(call, { status, headers: new Map(named), body }, LEVEL);
  },
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
