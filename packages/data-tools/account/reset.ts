// `reset`: deletes every table of an account and, if asked for, every queue and every container, so that tests start
// from an empty account.
import type { ToolContext, ToolResult } from '../run/context.js';
import type { Address } from '../source/address.js';
import { Endpoint } from '../source/endpoint.js';
import { listSpaces, queryOf } from '../source/space.js';
import { TableRows } from '../source/table-rows.js';
import { textIn } from '../source/xml-list.js';

interface ResetOptions {
  readonly target: Address;
  readonly queues: boolean;
  readonly blobs: boolean;
}

interface Deleted {
  readonly kind: string;
  readonly name: string;
}

/** Writes a line for each that is deleted. @throws ToolError */
export async function reset(
  { target, queues, blobs }: ResetOptions,
  { source, write }: ToolContext,
): Promise<ToolResult> {
  const remove = async (endpoint: Endpoint, deleted: Deleted, path: string, query = {}): Promise<void> => {
    const { kind, name } = deleted;
    const sent = { method: 'DELETE', path, query, headers: { accept: 'application/json' } };
    // One that is already gone counts as deleted.
    await endpoint.expect(`the deletion of ${kind} ${name}`, sent, 404);
    await write(`${JSON.stringify(deleted)}\n`);
  };
  const account = new Endpoint(target, 'table', source);
  const tables = await new TableRows(account).tables();
  for (const name of tables) await remove(account, { kind: 'table', name }, `/Tables('${name}')`);
  for (const [isWanted, service, kind] of [
    [queues, 'queue', 'Queue'],
    [blobs, 'blob', 'Container'],
  ] as const) {
    if (!isWanted) continue;
    const endpoint = new Endpoint(target, service, source);
    const names: string[] = [];
    for await (const element of listSpaces(endpoint, kind)) names.push(textIn(element, 'Name'));
    for (const name of names)
      await remove(endpoint, { kind: kind.toLowerCase(), name }, `/${name}`, queryOf(kind));
  }
  return { tables: tables.length };
}
