// What each request gets: the page's files, a session for the link, the list of accounts, an account's answers, a
// signature, or a download. Everything but the page and the two requests of the sign-in needs a session.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Address, Service } from '#data-tools';
import type { PartitionHeat } from '../model/heat.js';
import type { Figures } from '../model/live.js';
import { SCOPES } from '../model/sas-words.js';
import { Refusal, sendJson } from './answer.js';
import type { Downloads } from './downloads.js';
import type { Guard } from './guard.js';
import type { Forwarded, SigningProxy } from './proxy.js';
import type { Sessions } from './sessions.js';
import { type SignatureRequest, signatureOf } from './signature.js';
import type { Site } from './site.js';

export interface RouteContext {
  readonly guard: Guard;
  readonly sessions: Sessions;
  readonly site: Site;
  readonly proxy: SigningProxy;
  readonly downloads: Downloads;
  readonly accounts: () => readonly Address[];
  /** Undefined for accounts that are not of this process. */
  readonly live: (() => Promise<Figures>) | undefined;
  /** The busiest partitions of a table; undefined if they are not counted. */
  readonly heat: ((account: string, table: string) => readonly PartitionHeat[]) | undefined;
  /** Prints a new link where the explorer was started. False if the last one is too young. */
  readonly printLink: () => boolean;
  /** Of the session's cookie: cookies do not tell ports apart. */
  readonly cookieName: string;
  readonly isSecure: boolean;
}

const PROOF_HEADER = 'x-explorer-proof';
const BODY_BYTES_MAX = 64 * 1024;
const SERVICES: readonly Service[] = ['table', 'queue', 'blob'];
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'MERGE', 'PATCH']);
const ACCOUNT_PATH = /^\/accounts\/([^/?]+)\/(table|queue|blob)((?:[/?].*)?)$/s;

const ENDED = new Refusal(401, 'SessionEnded', 'The session has ended, or there was none.');
const NOT_FOUND = new Refusal(404, 'NotFound', 'There is no such address.');

async function bodyOf(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > BODY_BYTES_MAX) throw new Refusal(413, 'TooLarge', 'The request is too large.');
    chunks.push(chunk);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // Refused below.
  }
  throw new Refusal(400, 'BadBody', 'The request is not a JSON object.');
}

function cookieOf({ headers: { cookie = '' } }: IncomingMessage, name: string): string {
  const found = cookie.split(/;\s*/).find(each => each.startsWith(`${name}=`));
  return found?.slice(name.length + 1) ?? '';
}

function checkSession(request: IncomingMessage, { sessions, cookieName, guard }: RouteContext): void {
  if (!guard.isOwnPage(request))
    throw new Refusal(403, 'ForeignPage', 'Only the explorer’s own page may send this request.');
  const proof = request.headers[PROOF_HEADER];
  if (typeof proof !== 'string' || !sessions.admits(cookieOf(request, cookieName), proof)) throw ENDED;
}

async function openSession(request: IncomingMessage, response: ServerResponse, context: RouteContext) {
  const { link } = await bodyOf(request);
  const session = typeof link === 'string' ? context.sessions.open(link) : undefined;
  if (session === undefined)
    throw new Refusal(403, 'WrongLink', 'This link was used before, or is not of this explorer.');
  const cookie = `${context.cookieName}=${session.cookie}; Path=/; HttpOnly; SameSite=Strict${context.isSecure ? '; Secure' : ''}`;
  sendJson(response, 201, { proof: session.proof }, { 'set-cookie': cookie });
}

function printLink(response: ServerResponse, context: RouteContext): void {
  if (!context.printLink())
    throw new Refusal(429, 'TooSoon', 'A link was printed a moment ago: look in the terminal.');
  sendJson(response, 201, {});
}

function sendHeat(response: ServerResponse, query: string, { heat }: RouteContext): void {
  if (heat === undefined) throw NOT_FOUND;
  const parameters = new URLSearchParams(query);
  const of = (name: string): string => parameters.get(name) ?? '';
  sendJson(response, 200, heat(of('account'), of('table')));
}

/** Those that the page shows; names of engines differ. */
const SHOWN = /^shelfmark_(?:requests_total|request_duration_seconds|connections|.*commits.*_total)$/;

async function sendLive(response: ServerResponse, { live }: RouteContext): Promise<void> {
  if (live === undefined) throw NOT_FOUND;
  const families = (await live()).filter(({ name }) => SHOWN.test(name));
  sendJson(
    response,
    200,
    families.map(({ name, samples }) => ({ name, samples })),
  );
}

/** What the page may know of an account: names and endpoints, never a key. */
const describe = (address: Address) => ({
  name: address.account,
  canSign: address.hasKey,
  endpoints: Object.fromEntries(
    SERVICES.filter(service => address.has(service)).map(service => [service, address.endpoint(service)]),
  ),
});

function accountNamed(name: string, accounts: readonly Address[]): Address {
  const found = accounts.find(({ account }) => account === name);
  if (found === undefined) throw new Refusal(404, 'NoAccount', `The explorer has no account ${name}.`);
  return found;
}

async function sign(request: IncomingMessage, response: ServerResponse, { accounts }: RouteContext) {
  const { account, scope, resource, fields } = await bodyOf(request);
  const isRequest =
    SCOPES.some(each => each === scope) &&
    typeof resource === 'string' &&
    typeof fields === 'object' &&
    fields !== null &&
    Object.values(fields).every(value => typeof value === 'string');
  if (!isRequest) throw new Refusal(400, 'BadBody', 'The request is none for a signature.');
  const wanted = { scope, resource, fields } as SignatureRequest;
  sendJson(response, 200, signatureOf(accountNamed(String(account), accounts()), wanted));
}

function accountRequest(url: string, accounts: readonly Address[]): Omit<Forwarded, 'method'> {
  const [, name, service, target = ''] = ACCOUNT_PATH.exec(url) ?? [];
  if (name === undefined) throw NOT_FOUND;
  const address = accountNamed(name, accounts);
  if (!address.has(service as Service))
    throw new Refusal(404, 'NoService', `Account ${address.account} has no endpoint for ${service}s.`);
  return { address, service: service as Service, target: target.startsWith('/') ? target : `/${target}` };
}

async function startDownload(request: IncomingMessage, response: ServerResponse, context: RouteContext) {
  const { path, name } = await bodyOf(request);
  if (typeof path !== 'string' || typeof name !== 'string')
    throw new Refusal(400, 'BadBody', 'The request names nothing to download.');
  accountRequest(path, context.accounts());
  sendJson(response, 201, { url: `/downloads/${context.downloads.add({ path, name })}` });
}

/** A navigation of the browser, which has no proof: the ticket is one, and works once. */
async function download(request: IncomingMessage, response: ServerResponse, context: RouteContext) {
  const { sessions, cookieName, downloads, proxy, accounts } = context;
  if (!sessions.admits(cookieOf(request, cookieName))) throw ENDED;
  const wanted = downloads.take((request.url ?? '').slice('/downloads/'.length));
  if (wanted === undefined) throw NOT_FOUND;
  await proxy.pass({ ...accountRequest(wanted.path, accounts()), method: 'GET' }, request, response, {
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(wanted.name)}`,
  });
}

/** @throws Refusal */
export async function route(
  request: IncomingMessage,
  response: ServerResponse,
  context: RouteContext,
): Promise<void> {
  const { guard, site, sessions, proxy, accounts } = context;
  const { method = '', url = '' } = request;
  if (!guard.isOwnHost(request))
    throw new Refusal(421, 'WrongHost', 'The explorer does not answer under this host name.');
  if (!METHODS.has(method)) throw new Refusal(405, 'BadMethod', `The explorer does not answer ${method}.`);
  const [path = ''] = url.split('?', 1);
  const what = `${method} ${path}`;
  if (what === 'POST /session' || what === 'POST /session/link') {
    if (!guard.isOwnPage(request))
      throw new Refusal(403, 'ForeignPage', 'Only the explorer’s own page may send this request.');
    return path === '/session' ? openSession(request, response, context) : printLink(response, context);
  }
  if (path.startsWith('/downloads/') && method === 'GET') return download(request, response, context);
  const isAccounts = path === '/accounts' || path.startsWith('/accounts/');
  if (!isAccounts && !['/session', '/signatures', '/downloads', '/live', '/heat'].includes(path))
    return site.send(request, response, path);
  checkSession(request, context);
  if (what === 'GET /accounts')
    return sendJson(response, 200, {
      accounts: accounts().map(describe),
      hasLive: context.live !== undefined,
      hasHeat: context.heat !== undefined,
    });
  if (what === 'GET /live') return sendLive(response, context);
  if (what === 'GET /heat') return sendHeat(response, url.slice(path.length), context);
  if (what === 'POST /signatures') return sign(request, response, context);
  if (what === 'POST /downloads') return startDownload(request, response, context);
  if (what === 'DELETE /session') {
    sessions.end(cookieOf(request, context.cookieName));
    return sendJson(response, 200, {});
  }
  await proxy.pass({ ...accountRequest(url, accounts()), method }, request, response);
}
