// A server in memory or Azurite, the explorer over it, and its links: what the explorer's tests begin with.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { systemClock } from '#base';
import { type Address, parseAddress } from '#data-tools';
import { type Explorer, type ExplorerOptions, openExplorer } from '#explorer';
import { serve } from '#server';
import { ENGINES, PartitionCounters, servicesCounting } from '#server/parts';
import { startPeer, WANTED_PEERS } from '../support/running-peer.js';

/** What the explorer shows. */
export interface Target {
  connectionString(): string;
  close(): Promise<void>;
}

export interface Stage {
  readonly server: Target;
  readonly explorer: Explorer;
  /** Every link so far, the newest last. */
  readonly links: readonly string[];
  /** Moves the clock that sessions and links know. */
  readonly pass: (milliseconds: number) => void;
  close(): Promise<void>;
}

/** The secret of a link. */
export const secretOf = (link: string | undefined): string => link?.split('#link=')[1] ?? '';

/** Opens a session by a link, as the page does. @returns the headers of its requests. */
export async function signIn(link = ''): Promise<Readonly<Record<string, string>>> {
  const { origin } = new URL(link);
  const body = JSON.stringify({ link: secretOf(link) });
  const response = await fetch(`${origin}/session`, { method: 'POST', headers: { origin }, body });
  assert.equal(response.status, 201);
  const { proof } = (await response.json()) as { readonly proof: string };
  const [cookie = ''] = response.headers.getSetCookie();
  assert.match(cookie, /; Path=\/; HttpOnly; SameSite=Strict$/);
  return { cookie: cookie.split(';')[0] ?? '', 'x-explorer-proof': proof };
}

/** A new link, asked for as the sign-in page does. */
export async function printLink({ pass, explorer: { url }, links }: Stage): Promise<string> {
  pass(10_000);
  const asked = { method: 'POST', headers: { origin: url }, body: '{}' };
  assert.equal((await fetch(`${url}/session/link`, asked)).status, 201);
  return links.at(-1) ?? '';
}

/** Shelfmark in this process, with its figures. */
async function serveCounted(): Promise<readonly [Target, Pick<ExplorerOptions, 'live' | 'heat'>]> {
  const counters = new PartitionCounters();
  const server = await serve({ data: undefined, isCounted: true }, ENGINES, servicesCounting(counters));
  const live = async () => server.view.families();
  const heat: ExplorerOptions['heat'] = (account, table) => counters.heatOf(account, table, systemClock());
  return [server, { live, heat }];
}

async function startAzurite(): Promise<readonly [Target, Pick<ExplorerOptions, 'live' | 'heat'>]> {
  const { connectionString, close } = await startPeer('azurite');
  return [{ connectionString: () => connectionString, close }, {}];
}

export async function openStage(
  options: Partial<ExplorerOptions> = {},
  addressesOf: (server: Target) => readonly Address[] = ({ connectionString }) => [
    parseAddress(connectionString()),
  ],
): Promise<Stage> {
  const [server, figures] = await (WANTED_PEERS.includes('azurite') ? startAzurite() : serveCounted());
  const links: string[] = [];
  let passed = 0;
  const addresses = addressesOf(server);
  const explorer = await openExplorer({
    port: 0,
    accounts: () => addresses,
    ...figures,
    onLink: link => links.push(link),
    surroundings: { now: () => Date.now() + passed, randomBytes },
    ...options,
  });
  return {
    ...{ server, explorer, links },
    pass: milliseconds => {
      passed += milliseconds;
    },
    close: async () => {
      await explorer.close();
      await server.close();
    },
  };
}
