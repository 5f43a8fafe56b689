// The explorer of `shelfmark serve`: opened before the server, so that a taken port is found before anything is served,
// and given the server's accounts once it is ready. Its packages are loaded only if it is asked for.
import { isLoopback } from '#base';
import type { Address } from '#data-tools';
import type { ExplorerOptions } from '#explorer';
import { type AccountKeys, ConfigurationError, type ServeOptions } from '#server';
import { type Ready, readyLine } from '../ready.js';

interface ExplorerFlags {
  readonly explorerPort?: number;
  readonly explorerHost?: string;
  readonly allowRemoteExplorer?: boolean;
}

interface ServingExplorer {
  /** Prints the server's ready line with the explorer in it, then the link. */
  ready(ready: Ready, accounts: AccountKeys, print: (line: string) => void): void;
  replaceAccounts(accounts: AccountKeys): void;
}

const NO_EXPLORER: ServingExplorer = {
  ready: (ready, _, print) => print(readyLine(ready)),
  replaceAccounts: () => undefined,
};

type Endpoints = Ready['endpoints'];

/** The connection string of each account: its endpoints are those of the first, with its own name at the end. */
const connectionStrings = (accounts: AccountKeys, endpoints: Endpoints): readonly string[] =>
  Object.entries(accounts).map(([name, [key = '']]) => {
    const parts = Object.entries(endpoints).map(
      ([service, url]) => `${service}Endpoint=${url.replace(/[^/]+$/, name)};`,
    );
    return `AccountName=${name};AccountKey=${key};${parts.join('')}`;
  });

/** Trusts the server's own certificate, whatever names it has: the explorer connects to the server that it is part of. */
const trustOf = (tls: ServeOptions['tls']): ExplorerOptions['trust'] =>
  tls && { ca: [tls.cert], checkServerIdentity: () => undefined, ...{ allowPartialTrustChain: true } };

/** Opens nothing without a port. @throws ExplorerRefused, or the system's error where the port cannot be had. */
export async function openServingExplorer(
  flags: ExplorerFlags,
  tls: ServeOptions['tls'],
  say: (text: string) => void,
  { live, heat }: Pick<ExplorerOptions, 'live' | 'heat'>,
): Promise<ServingExplorer> {
  const { explorerPort: port, explorerHost: host, allowRemoteExplorer: allowRemote } = flags;
  if (port === undefined) {
    if (host === undefined) return NO_EXPLORER;
    throw new ConfigurationError('--explorer-host needs --explorer-port.');
  }
  const [{ openExplorer }, { parseAddress }] = await Promise.all([
    import('#explorer'),
    import('#data-tools'),
  ]);
  let addresses: readonly Address[] = [];
  let endpoints: Endpoints = {};
  let isReady = false;
  let first = '';
  const tell = (link: string): void => say(`open the explorer with this link, which works once: ${link}`);
  const explorer = await openExplorer({
    host,
    port,
    tls: host === undefined || isLoopback(host) ? undefined : tls,
    allowRemote,
    accounts: () => addresses,
    live,
    heat,
    onLink: link => {
      if (isReady) tell(link);
      else first = link;
    },
    trust: trustOf(tls),
  });
  const replaceAccounts = (accounts: AccountKeys): void => {
    addresses = connectionStrings(accounts, endpoints).map(parseAddress);
  };
  return {
    ready: (ready, accounts, print) => {
      endpoints = ready.endpoints;
      replaceAccounts(accounts);
      print(readyLine(ready, explorer.url));
      isReady = true;
      tell(first);
    },
    replaceAccounts,
  };
}
