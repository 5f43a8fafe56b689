// The Table service with its partitions counted, for the explorer. The service itself is unchanged: a server that counts
// nothing runs none of this.
import type { WireRequest } from '#base';
import type { OperationKind, TableErrorCode } from '#tables';
import type { Answer, Route, TableResource } from '#wire/table';
import type { ServiceProtocol } from '../../frame/service-protocol.js';
import type { Observed, PartitionCounters } from '../../observe/partition-counters.js';
import { TABLE_SERVICE } from './table-service.js';

const IN_BODY = /"PartitionKey"\s*:\s*("(?:[^"\\]|\\.)*")/;
const IN_FILTER = /PartitionKey\s+eq\s+'((?:[^']|'')*)'/;
/** Of a part of a transaction, in its address. */
const IN_ADDRESS = /\(\s*PartitionKey='((?:[^']|'')*)'/;
const CHANGES = /^(?:POST|PUT|MERGE|PATCH|DELETE) \S*\/([A-Za-z][A-Za-z0-9]*)[(\s]/gm;
/** The keys are at the beginning of a body, mostly. */
const HEAD_BYTES = 4096;
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

type At = Pick<Observed, 'table' | 'partition' | 'rows'>;

const unquoted = (text: string): string => text.replaceAll("''", "'");

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function inBody(text: string): string | undefined {
  const literal = IN_BODY.exec(text)?.[1];
  try {
    return literal === undefined ? undefined : String(JSON.parse(literal));
  } catch {
    return undefined;
  }
}

/** A transaction is of one partition of one table; undefined for what is none. */
function ofTransaction({ body }: WireRequest): At | undefined {
  const text = body.toString('latin1');
  const changes = [...text.matchAll(CHANGES)];
  const [, table] = changes[0] ?? [];
  const head = body.subarray(0, HEAD_BYTES).toString('utf8');
  const inAddress = IN_ADDRESS.exec(decoded(head))?.[1];
  const partition = inBody(head) ?? (inAddress === undefined ? undefined : unquoted(inAddress));
  return table === undefined || partition === undefined
    ? undefined
    : { table, partition, rows: changes.length };
}

/** The partition of a request; undefined if it is of none, or of many. */
function partitionOf(kind: OperationKind, request: WireRequest, { resource, query }: Route): At | undefined {
  if (kind === 'submitTransaction') return ofTransaction(request);
  const rows = READS.has(request.method) ? 0 : 1;
  if (resource.kind === 'entity')
    return { table: resource.table, partition: resource.key.partitionKey, rows };
  if (resource.kind !== 'entities') return undefined;
  const filter = IN_FILTER.exec(query.get('$filter') ?? '')?.[1];
  const partition =
    rows === 0 ? filter && unquoted(filter) : inBody(request.body.subarray(0, HEAD_BYTES).toString('utf8'));
  return partition === undefined ? undefined : { table: resource.table, partition, rows };
}

export const countedTables = (
  counters: PartitionCounters,
): ServiceProtocol<TableResource, OperationKind, TableErrorCode, Answer> => ({
  ...TABLE_SERVICE,
  run: (kind, route, grant, context) => {
    const { request, now } = context;
    const at = partitionOf(kind, request, route);
    if (at !== undefined) {
      const bytes = request.body.length;
      counters.count({ ...at, table: at.table.toLowerCase(), account: route.account, bytes }, now);
    }
    return TABLE_SERVICE.run(kind, route, grant, context);
  },
});
