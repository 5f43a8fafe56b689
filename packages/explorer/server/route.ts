// What each request gets: the page's files, a session for the link, the list of accounts, an account's answers, a
// signature, or a download. Everything but the page and the two requests of the sign-in needs a session.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Address, Service } from '#data-tools';
import type { PartitionHeat } from '../model/heat.js';
import type { Figures } from '../model/live.js';
import { Refusal, sendJson } from './answer.js';
import type { Guard } from './guard.js';
import type { Forwarded, SigningProxy } from './proxy.js';
import type { Sessions } from './sessions.js';
import { signatureOf } from './signature.js';
import type { Site } from './site.js';

/** What the explorer shows. */
export interface Shown {
  /** Read at each request, because a server's accounts can change. */
  readonly accounts: () => readonly Address[];
  /** The metrics of the server behind all accounts, for the page of live figures; without it there is none. */
  readonly live?: (() => Promise<Figures>) | undefined;
  /** The busiest partitions of a table, for its heat map; without it there is none. */
  readonly heat?: ((account: string, table: string) => readonly PartitionHeat[]) | undefined;
}

export interface RouteContext extends Shown {
  readonly guard: Guard;
  readonly sessions: Sessions;
  readonly site: Site;
  readonly proxy: SigningProxy;
  /** Prints a new link where the explorer was started. False if the last one is too young. */
  readonly printLink: () => boolean;
  /** Of the session's cookie: cookies do not tell ports apart. */
  readonly cookieName: string;
}

type Reply = (
  request: IncomingMessage,
  response: ServerResponse,
  context: RouteContext,
) => Promise<void> | void;

const BODY_LENGTH_MAX = 64 * 1024;
const SERVICES: readonly Service[] = ['table', 'queue', 'blob'];
const ACCOUNT_PATH = /^\/accounts\/([^/?]+)\/(table|queue|blob)((?:[/?].*)?)$/s;

const ENDED = new Refusal(401, 'SessionEnded', 'The session has ended, or there was none.');
const NOT_FOUND = new Refusal(404, 'NotFound', 'There is no such address.');

async function bodyOf(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > BODY_LENGTH_MAX) throw new Refusal(413, 'TooLarge', 'The request is too large.');
  }
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // Refused below.
  }
  throw new Refusal(400, 'BadBody', 'The request is not a JSON object.');
}

function cookieOf({ headers: { cookie = '' } }: IncomingMessage, { cookieName }: RouteContext): string {
  const found = cookie.split(/;\s*/).find(each => each.startsWith(`${cookieName}=`));
  return found?.slice(cookieName.length + 1) ?? '';
}

function accountNamed(name: string, { accounts }: RouteContext): Address {
  const found = accounts().find(({ account }) => account === name);
  if (found === undefined) throw new Refusal(404, 'NoAccount', `The explorer has no account ${name}.`);
  return found;
}

function accountRequest(url: string, context: RouteContext): Omit<Forwarded, 'method'> {
  const [, name, service, target = ''] = ACCOUNT_PATH.exec(url) ?? [];
  if (name === undefined) throw NOT_FOUND;
  const address = accountNamed(name, context);
  if (!address.has(service as Service))
    throw new Refusal(404, 'NoService', `Account ${address.account} has no endpoint for ${service}s.`);
  return { address, service: service as Service, target: target.startsWith('/') ? target : `/${target}` };
}

const forward: Reply = (request, response, context) => {
  const { method = '', url = '' } = request;
  return context.proxy.pass({ ...accountRequest(url, context), method }, request, response);
};

/** A navigation of the browser, which has no proof: the ticket is one, and works once. */
const download: Reply = async (request, response, context) => {
  const { sessions, proxy } = context;
  if (!sessions.admits(cookieOf(request, context))) throw ENDED;
  const wanted = sessions.takeTicket((request.url ?? '').slice('/downloads/'.length));
  if (wanted === undefined) throw NOT_FOUND;
  await proxy.pass({ ...accountRequest(wanted.path, context), method: 'GET' }, request, response, {
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(wanted.name)}`,
  });
};

/** Requests of the sign-in. */
const OPEN: Readonly<Record<string, Reply>> = {
  'POST /session': async (request, response, { sessions, cookieName, guard }) => {
    const { link } = await bodyOf(request);
    const session = typeof link === 'string' ? sessions.open(link) : undefined;
    if (session === undefined)
      throw new Refusal(403, 'WrongLink', 'This link was used before, or is not of this explorer.');
    const cookie = `${cookieName}=${session.cookie}; Path=/; HttpOnly; SameSite=Strict${guard.isSecure ? '; Secure' : ''}`;
    sendJson(response, 201, { proof: session.proof }, { 'set-cookie': cookie });
  },
  'POST /session/link': (_, response, context) => {
    if (!context.printLink())
      throw new Refusal(429, 'TooSoon', 'A link was printed a moment ago: look in the terminal.');
    sendJson(response, 201, {});
  },
};

/** Those that the page shows; names of engines differ. */
const SHOWN = /^shelfmark_(?:requests_total|request_duration_seconds|connections|.*commits.*_total)$/;

const WITH_SESSION: Readonly<Record<string, Reply>> = {
  'DELETE /session': (request, response, context) => {
    context.sessions.end(cookieOf(request, context));
    sendJson(response, 200, {});
  },
  // Names and endpoints, never a key.
  'GET /accounts': (_, response, { accounts, live, heat }) => {
    const described = accounts().map(address => ({
      name: address.account,
      canSign: address.hasKey,
      endpoints: Object.fromEntries(
        SERVICES.filter(service => address.has(service)).map(service => [service, address.endpoint(service)]),
      ),
    }));
    const figures = { hasLive: live !== undefined, hasHeat: heat !== undefined };
    sendJson(response, 200, { accounts: described, ...figures });
  },
  'GET /live': async (_, response, { live }) => {
    if (live === undefined) throw NOT_FOUND;
    const families = (await live()).filter(({ name }) => SHOWN.test(name));
    const read = families.map(({ name, samples }) => ({ name, samples }));
    sendJson(response, 200, read);
  },
  'GET /heat': ({ url = '' }, response, { heat }) => {
    if (heat === undefined) throw NOT_FOUND;
    const parameters = new URLSearchParams(url.split('?')[1]);
    sendJson(response, 200, heat(parameters.get('account') ?? '', parameters.get('table') ?? ''));
  },
  'POST /signatures': async (request, response, context) => {
    const wanted = await bodyOf(request);
    sendJson(response, 200, signatureOf(accountNamed(String(wanted.account), context), wanted));
  },
  'POST /downloads': async (request, response, context) => {
    const { path, name } = await bodyOf(request);
    if (typeof path !== 'string' || typeof name !== 'string')
      throw new Refusal(400, 'BadBody', 'The request names nothing to download.');
    accountRequest(path, context);
    sendJson(response, 201, { url: `/downloads/${context.sessions.addTicket({ path, name })}` });
  },
};

/** @throws Refusal */
export const route: Reply = (request, response, context) => {
  const { guard, site, sessions } = context;
  const { method, url = '' } = request;
  if (!guard.isOwnHost(request))
    throw new Refusal(421, 'WrongHost', 'The explorer does not answer under this host name.');
  const [path = ''] = url.split('?', 1);
  if (method === 'GET' && path.startsWith('/downloads/')) return download(request, response, context);
  const open = OPEN[`${method} ${path}`];
  const reply =
    open ?? WITH_SESSION[`${method} ${path}`] ?? (path.startsWith('/accounts/') ? forward : undefined);
  if (reply === undefined) return site.send(request, response, path);
  if (!guard.isOwnPage(request))
    throw new Refusal(403, 'ForeignPage', 'Only the explorer’s own page may send this request.');
  const proof = request.headers['x-explorer-proof'] ?? '';
  if (open === undefined && !sessions.admits(cookieOf(request, context), String(proof))) throw ENDED;
  return reply(request, response, context);
};
