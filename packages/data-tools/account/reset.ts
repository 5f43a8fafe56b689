// `reset`: deletes every table of an account and, if asked for, every queue and every container, so that tests start
// from an empty account.
import type { ToolContext } from '../run/context.js';
import type { Address, Service } from '../source/address.js';
import { BadAnswer, Endpoint, failureOf } from '../source/endpoint.js';
import { TableRows } from '../source/table-rows.js';
import { ToolError } from '../source/tool-error.js';

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

const MARKER = /<NextMarker>([^<]+)<\/NextMarker>/;

/** Names of queues and containers hold nothing that XML escapes. */
async function namesByXml(endpoint: Endpoint): Promise<readonly string[]> {
  const names: string[] = [];
  for (let marker: string | undefined = ''; marker !== undefined; ) {
    const query: Record<string, string> = { comp: 'list', ...(marker !== '' && { marker }) };
    const { value } = await endpoint.send({
      method: 'GET',
      path: '/',
      query,
      read: answer => {
        if (answer.status !== 200) return failureOf(endpoint, 'a list', answer);
        const text = answer.body.toString('utf8');
        if (!text.includes('</EnumerationResults>')) throw new BadAnswer('a list cannot be read');
        return text;
      },
    });
    if (value instanceof ToolError) throw value;
    names.push(...[...value.matchAll(/<Name>([^<]+)<\/Name>/g)].map(([, name = '']) => name));
    marker = MARKER.exec(value)?.[1];
  }
  return names;
}

const KINDS: readonly Kind[] = [
  {
    kind: 'table',
    service: 'table',
    list: endpoint => new TableRows(endpoint).tables(),
    path: name => ({ path: `/Tables('${name}')` }),
  },
  { kind: 'queue', service: 'queue', list: namesByXml, path: name => ({ path: `/${name}` }) },
  {
    kind: 'container',
    service: 'blob',
    list: namesByXml,
    path: name => ({ path: `/${name}`, query: { restype: 'container' } }),
  },
];

/** One that is already gone counts as deleted. */
async function remove(endpoint: Endpoint, { kind, path }: Kind, name: string): Promise<void> {
  const { status, value } = await endpoint.send({
    method: 'DELETE',
    ...path(name),
    headers: { accept: 'application/json' },
    read: answer => failureOf(endpoint, `the deletion of ${kind} ${name}`, answer),
  });
  if (status >= 300 && status !== 404) throw value;
}

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
      await remove(endpoint, kind, name);
      await take({ kind: kind.kind, name });
      if (kind.kind === 'table') tables++;
    }
  }
  return tables;
}
