// Opens the explorer: a small HTTP server, on loopback unless it has TLS and permission. It holds the accounts' keys and
// signs; the page gets the one-time link that is printed at start, and never a key.
import { randomBytes, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AgentOptions, createServer as createSecureServer } from 'node:https';
import { isLoopback } from '#base';
import { Refusal, sendRefusal } from './answer.js';
import { Guard, nameOf } from './guard.js';
import { SigningProxy } from './proxy.js';
import { type RouteContext, route, type Shown } from './route.js';
import { Sessions, type Surroundings } from './sessions.js';
import { Site } from './site.js';

export interface ExplorerOptions extends Shown {
  /** Default 127.0.0.1. */
  readonly host?: string | undefined;
  /** 0 takes a free one. */
  readonly port: number;
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer } | undefined;
  /** Whether `host` may be another than loopback; needs `tls`. */
  readonly allowRemote?: boolean | undefined;
  /** Called with each new link, which opens one session: the first when the explorer is open. */
  readonly onLink: (link: string) => void;
  /** For accounts over HTTPS: more than the system's certificates. */
  readonly trust?: AgentOptions | undefined;
  readonly surroundings?: Surroundings | undefined;
}

export interface Explorer {
  /** As `http://127.0.0.1:10003`. */
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Settings that would show the accounts to others. */
export class ExplorerRefused extends Error {
  override readonly name = 'ExplorerRefused';
}

const HOST_DEFAULT = '127.0.0.1';
const REAL_SURROUNDINGS: Surroundings = { now: Date.now, randomBytes };

function checkExposure({ host = HOST_DEFAULT, tls, allowRemote = false }: ExplorerOptions): void {
  if (isLoopback(host)) return;
  if (!allowRemote)
    throw new ExplorerRefused(
      `The explorer can read and change everything, so it listens on ${host} only with --allow-remote-explorer; without it, use 127.0.0.1.`,
    );
  if (tls === undefined)
    throw new ExplorerRefused(
      `The explorer listens on ${host} only with TLS: pass --cert and --key, or use 127.0.0.1.`,
    );
}

const listenerOf =
  (context: RouteContext): RequestListener =>
  async (request, response) => {
    try {
      await route(request, response, context);
    } catch (error) {
      if (response.headersSent) return void response.destroy();
      const isRefusal = error instanceof Refusal;
      if (!isRefusal)
        process.stderr.write(`shelfmark: explorer: ${error instanceof Error ? error.stack : error}\n`);
      // What is left of the body would be taken for the next request.
      if (!request.complete) response.setHeader('connection', 'close');
      sendRefusal(
        response,
        isRefusal ? error : new Refusal(500, 'Failed', 'The explorer failed; the terminal has the reason.'),
      );
    }
  };

async function listenOn(server: Server, host: string, port: number): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? port) : port;
}

/** @throws ExplorerRefused, or the system's error where the port cannot be had. */
export async function openExplorer(options: ExplorerOptions): Promise<Explorer> {
  checkExposure(options);
  const {
    host = HOST_DEFAULT,
    tls,
    accounts,
    live,
    heat,
    onLink,
    surroundings = REAL_SURROUNDINGS,
  } = options;
  const site = new Site();
  const server = tls === undefined ? createServer() : createSecureServer(tls);
  const port = await listenOn(server, host, options.port);
  const certificate = tls && new X509Certificate(tls.cert);
  const reached = nameOf(host, certificate);
  const name = reached.includes(':') ? `[${reached}]` : reached;
  const url = `${tls === undefined ? 'http' : 'https'}://${name}:${port}`;
  const sessions = new Sessions(surroundings);
  const proxy = new SigningProxy(surroundings.now, options.trust);
  const printLink = (): boolean => {
    const link = sessions.newLink();
    if (link !== undefined) onLink(`${url}/#link=${link}`);
    return link !== undefined;
  };
  const shown = { accounts, live, heat, site };
  const guard = new Guard(port, certificate);
  const cookieName = `shelfmark-explorer-${port}`;
  server.on('request', listenerOf({ ...shown, guard, sessions, proxy, printLink, cookieName }));
  printLink();
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    proxy.close();
  };
  return { url, port, close };
}
