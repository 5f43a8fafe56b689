// What `serve` prints when it accepts requests, as a value: a cluster's worker sends it to its primary.
import { type RunningServer, WELL_KNOWN_KEY } from '#server';

export interface Ready {
  /** Of the first account, by service. */
  readonly endpoints: Readonly<Record<string, string>>;
  /** Where the data is. */
  readonly place: string;
  /** What else an operator should know. */
  readonly facts: readonly string[];
  /** Without the key of a configured account: the line may be logged. */
  readonly connectionString: string;
}

export function readyOf(server: RunningServer, facts: readonly string[]): Ready {
  const { endpoints, account, place } = server;
  const text = server.connectionString();
  const connectionString =
    account.key === WELL_KNOWN_KEY
      ? text
      : text.replace(`AccountKey=${account.key};`, 'AccountKey=<its key>;');
  return { endpoints, place, facts, connectionString };
}

/** One line. */
export function readyLine(
  { endpoints, place, facts, connectionString }: Ready,
  explorerUrl?: string,
): string {
  const { table, queue, blob } = endpoints;
  const parts = [`Shelfmark serves tables at ${table}`, `data in ${place}`];
  if (queue !== undefined) parts.push(`queues at ${queue}`);
  if (blob !== undefined) parts.push(`blobs at ${blob}`);
  parts.push(...facts);
  if (explorerUrl !== undefined) parts.push(`explorer at ${explorerUrl}`);
  return [...parts, `connection string: ${connectionString}`].join('; ');
}
