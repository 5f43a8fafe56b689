// A server in memory, the explorer over it, and its links: what the explorer's tests begin with.
import { randomBytes } from 'node:crypto';
import { systemClock } from '#base';
import { type Address, parseAddress } from '#data-tools';
import { type Explorer, type ExplorerOptions, openExplorer } from '#explorer';
import { type RunningServer, serve } from '#server';
import { ENGINES, PartitionCounters, servicesCounting } from '#server/parts';

export interface Stage {
  readonly server: RunningServer;
  readonly explorer: Explorer;
  /** Every link so far, the newest last. */
  readonly links: readonly string[];
  /** Moves the clock that sessions and links know. */
  readonly pass: (milliseconds: number) => void;
  close(): Promise<void>;
}

/** The secret of a link. */
export const secretOf = (link: string | undefined): string => link?.split('#link=')[1] ?? '';

export async function openStage(
  options: Partial<ExplorerOptions> = {},
  addressesOf: (server: RunningServer) => readonly Address[] = ({ connectionString }) => [
    parseAddress(connectionString()),
  ],
): Promise<Stage> {
  const counters = new PartitionCounters();
  const server = await serve({ data: undefined, isCounted: true }, ENGINES, servicesCounting(counters));
  const links: string[] = [];
  let passed = 0;
  const addresses = addressesOf(server);
  const explorer = await openExplorer({
    port: 0,
    accounts: () => addresses,
    live: async () => server.view.families(),
    heat: (account, table) => counters.heatOf(account, table, systemClock()),
    onLink: link => links.push(link),
    surroundings: { now: () => Date.now() + passed, randomBytes },
    ...options,
  });
  const close = async (): Promise<void> => {
    await explorer.close();
    await server.close();
  };
  const pass = (milliseconds: number): void => {
    passed += milliseconds;
  };
  return { server, explorer, links, pass, close };
}
