// `reset`: deletes every table of an account and, if asked for, every queue and every container, so that tests start
// from an empty account.
import type { ToolContext } from '../run/context.js';
import type { Address, Service } from '../source/address.js';
import { Endpoint } from '../source/endpoint.js';
import { listSpaces, type SpaceKind } from '../source/space.js';
import { TableRows } from '../source/table-rows.js';
import { textIn } from '../source/xml-list.js';

export interface Deleted {
  readonly kind: 'table' | 'queue' | 'container';
  readonly name: string;
}

interface ResetOptions {
  readonly target: Address;
  readonly queues: boolean;
  readonly blobs: boolean;
}

interface Kind {
  readonly kind: Deleted['kind'];
  readonly service: Service;
  readonly list: (endpoint: Endpoint) => Promise<readonly string[]>;
  /** The path whose DELETE removes one. */
  readonly path: (name: string) => {
    readonly path: string;
    readonly query?: Readonly<Record<string, string>>;
  };
}

async function namesOf(endpoint: Endpoint, kind: SpaceKind): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const element of listSpaces(endpoint, kind)) names.push(textIn(element, 'Name'));
  return names;
}

const KINDS: readonly Kind[] = [
  {
    kind: 'table',
    service: 'table',
    list: endpoint => new TableRows(endpoint).tables(),
    path: name => ({ path: `/Tables('${name}')` }),
  },
  {
    kind: 'queue',
    service: 'queue',
    list: endpoint => namesOf(endpoint, 'Queue'),
    path: name => ({ path: `/${name}` }),
  },
  {
    kind: 'container',
    service: 'blob',
    list: endpoint => namesOf(endpoint, 'Container'),
    path: name => ({ path: `/${name}`, query: { restype: 'container' } }),
  },
];

/** Yields each deleted name; returns how many tables. @throws ToolError */
export async function reset(
  { target, queues, blobs }: ResetOptions,
  context: ToolContext,
  take: (deleted: Deleted) => Promise<void>,
): Promise<number> {
  const wanted: Readonly<Record<Service, boolean>> = { table: true, queue: queues, blob: blobs };
  let tables = 0;
  for (const kind of KINDS.filter(({ service }) => wanted[service])) {
    const endpoint = new Endpoint(target, kind.service, context.source);
    for (const name of await kind.list(endpoint)) {
      const sent = { method: 'DELETE', ...kind.path(name), headers: { accept: 'application/json' } };
      // One that is already gone counts as deleted.
      await endpoint.expect(`the deletion of ${kind.kind} ${name}`, sent, 404);
      await take({ kind: kind.kind, name });
      if (kind.kind === 'table') tables++;
    }
  }
  return tables;
}
