// SOURCE and TARGET: a connection string, `UseDevelopmentStorage=true`, a URL with a SAS, `@FILE` that holds one of
// these, or nothing and the environment. An Address signs outgoing requests; its key or signature is private to it and
// appears in no text, log or JSON. Users see `name`, the endpoint without its query.
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { storageStringsToSign, tableStringsToSign } from '#wire';
import { systemCodeOf, ToolError } from './tool-error.js';

export type Service = 'table' | 'queue' | 'blob';

/** The parts of a request that the signature covers. */
interface Signed {
  readonly method: string;
  /** The path as it is sent, including the account if the endpoint has it in its path. */
  readonly path: string;
  readonly query: ReadonlyMap<string, string>;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

type Endpoints = Readonly<Partial<Record<Service, string | undefined>>>;

/** An account to read from or write to, with its credentials. */
export class Address {
  readonly account: string;
  readonly #endpoints: Endpoints;
  readonly #key: Buffer | undefined;
  readonly #sas: string | undefined;

  constructor(account: string, endpoints: Endpoints, secret: { key?: Buffer; sas?: string }) {
    this.account = account;
    this.#endpoints = endpoints;
    this.#key = secret.key;
    this.#sas = secret.sas;
  }

  /** Whether a key signs: then it may list tables and read policies; a SAS may be for one table. */
  get hasKey(): boolean {
    return this.#key !== undefined;
  }

  /**
   * The endpoint of a service without a trailing slash, as `http://127.0.0.1:10002/devstoreaccount1`. @throws ToolError
   * usage, if there is none.
   */
  endpoint(service: Service): string {
    const endpoint = this.#endpoints[service];
    if (endpoint === undefined)
      throw new ToolError(
        'usage',
        `The address of account ${this.account} names no endpoint for ${service}s.`,
      );
    return endpoint;
  }

  has(service: Service): boolean {
    return this.#endpoints[service] !== undefined;
  }

  /** Its name in messages and manifests: the endpoint of its tables, or of the service that it has. */
  get name(): string {
    return this.#endpoints.table ?? this.#endpoints.blob ?? this.#endpoints.queue ?? this.account;
  }

  /** The query of the SAS, for the URL of a request; empty with a key. Never show it to users. */
  get signedQuery(): string {
    return this.#sas ?? '';
  }

  /** The Authorization header; undefined with a SAS. The request has its x-ms-date. */
  authorization(service: Service, { method, path, query, headers }: Signed): string | undefined {
    if (!this.hasKey) return undefined;
    const request = { method, target: path, headers, body: NO_BYTES, secure: false, remoteAddress: '' };
    const route = { account: this.account, secondary: false, path, endpoint: '', resource: undefined, query };
    const scheme = service === 'table' ? 'SharedKeyLite' : 'SharedKey';
    const texts = (service === 'table' ? tableStringsToSign : storageStringsToSign)(scheme, request, route);
    const [text = ''] = texts;
    return `${scheme} ${this.account}:${this.sign(text)}`;
  }

  /** The signature of a text by the key, in base64. @throws ToolError usage, with only a SAS. */
  sign(text: string): string {
    if (this.#key === undefined) throw new ToolError('usage', 'The address has no key to sign with.');
    return createHmac('sha256', this.#key).update(text, 'utf8').digest('base64');
  }

  toJSON(): string {
    return this.name;
  }
}

const NO_BYTES = Buffer.alloc(0);
const DEVELOPMENT_ACCOUNT = 'devstoreaccount1';
/** The key of the emulator, which its documentation publishes. */
const DEVELOPMENT_KEY =
  'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';
const DEVELOPMENT_PORTS: Readonly<Record<Service, number>> = { blob: 10000, queue: 10001, table: 10002 };
const SERVICES: readonly Service[] = ['table', 'queue', 'blob'];
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const FORMS =
  'a connection string, UseDevelopmentStorage=true, a URL with a SAS, @FILE that holds one of these';

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

const endpointsOf = (of: (service: Service) => string | undefined): Endpoints =>
  Object.fromEntries(SERVICES.map(service => [service, of(service)]));

function developmentAddress(proxy = 'http://127.0.0.1'): Address {
  const origin = withoutSlash(proxy);
  return new Address(
    DEVELOPMENT_ACCOUNT,
    endpointsOf(service => `${origin}:${DEVELOPMENT_PORTS[service]}/${DEVELOPMENT_ACCOUNT}`),
    { key: Buffer.from(DEVELOPMENT_KEY, 'base64') },
  );
}

/** Names in lower case: clients of several languages accept any case. */
function settingsOf(text: string): ReadonlyMap<string, string> {
  const settings = new Map<string, string>();
  for (const part of text.split(';')) {
    if (part.trim() === '') continue;
    const at = part.indexOf('=');
    if (at <= 0) throw new ToolError('usage', `The connection string has a part that is not NAME=VALUE.`);
    settings.set(part.slice(0, at).trim().toLowerCase(), part.slice(at + 1).trim());
  }
  return settings;
}

/** Whether the account is in the path, as with an emulator, and not in the host name. */
export const isPathStyle = (url: URL): boolean =>
  /^[\d.]+$|^\[|^localhost$/.test(url.hostname) || !url.hostname.includes('.');

function accountOfUrl(url: URL): string {
  const [, first = ''] = url.pathname.split('/');
  const label = url.hostname.split('.')[0] ?? '';
  const account = isPathStyle(url) ? decodeURIComponent(first) : label;
  return account.replace(/-secondary$/, '');
}

export function checkedUrl(text: string, what: string): URL {
  if (!URL.canParse(text)) throw new ToolError('usage', `${what} is not a URL.`);
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new ToolError('usage', `${what} begins neither with https:// nor with http://.`);
  if (url.username !== '' || url.password !== '')
    throw new ToolError('usage', `${what} has a user or a password, which storage accounts do not have.`);
  return url;
}

function connectionAddress(text: string): Address {
  const settings = settingsOf(text);
  if (settings.get('usedevelopmentstorage')?.toLowerCase() === 'true')
    return developmentAddress(settings.get('developmentstorageproxyuri'));
  const named = settings.get('accountname');
  const key = settings.get('accountkey');
  const sas = settings.get('sharedaccesssignature')?.replace(/^\?/, '');
  const protocol = settings.get('defaultendpointsprotocol') ?? 'https';
  const suffix = settings.get('endpointsuffix') ?? 'core.windows.net';
  const endpoints = endpointsOf(service => {
    const told = settings.get(`${service}endpoint`);
    if (told !== undefined) return withoutSlash(checkedUrl(told, `The ${service} endpoint`).href);
    return named === undefined ? undefined : `${protocol}://${named}.${service}.${suffix}`;
  });
  const first = SERVICES.map(service => endpoints[service]).find(each => each !== undefined);
  if (first === undefined)
    throw new ToolError('usage', 'The connection string has neither AccountName nor an endpoint.');
  const account = named ?? accountOfUrl(new URL(first));
  if (key !== undefined && key !== '') {
    if (!BASE64.test(key))
      throw new ToolError('usage', 'The AccountKey of the connection string is not base64.');
    return new Address(account, endpoints, { key: Buffer.from(key, 'base64') });
  }
  if (!sas)
    throw new ToolError('usage', 'The connection string has neither AccountKey nor SharedAccessSignature.');
  return new Address(account, endpoints, { sas });
}

/** The services that a SAS may sign for: that of its resource, or of the host, or of the account's services. */
function serviceOf(url: URL): Service {
  const query = url.searchParams;
  if (query.has('tn')) return 'table';
  const [, label = ''] = url.hostname.split('.');
  const ofHost = SERVICES.find(service => service === label);
  if (ofHost !== undefined) return ofHost;
  if (query.has('sr')) return 'blob';
  const port = Number(url.port);
  return SERVICES.find(service => DEVELOPMENT_PORTS[service] === port) ?? 'table';
}

function urlAddress(text: string): Address {
  const url = checkedUrl(text, 'The address');
  const query = url.searchParams;
  if (!query.has('sig'))
    throw new ToolError(
      'usage',
      `The URL of ${url.host} has no SAS: it lacks sig. Give a connection string or a URL with a SAS.`,
    );
  const account = accountOfUrl(url);
  const table = query.get('tn')?.toLowerCase();
  const segments = url.pathname.split('/').filter(each => each !== '');
  // Storage Explorer and the portal give the URL of the table itself.
  if (table !== undefined && segments.at(-1)?.toLowerCase().replace(/\(\)$/, '') === table) segments.pop();
  const service = serviceOf(url);
  const endpoint = withoutSlash(`${url.origin}/${segments.join('/')}`);
  const endpoints = endpointsOf(each => (each === service ? endpoint : otherEndpoint(url, service, each)));
  return new Address(account, endpoints, { sas: url.search.slice(1) });
}

/** An account SAS covers all services that it names: their hosts differ in one label, or their ports as the emulator's do. */
function otherEndpoint(url: URL, service: Service, other: Service): string | undefined {
  if (!url.searchParams.get('ss')?.includes(other.charAt(0))) return undefined;
  const [account = '', label, ...rest] = url.hostname.split('.');
  if (label === service) return `${url.protocol}//${[account, other, ...rest].join('.')}`;
  if (Number(url.port) !== DEVELOPMENT_PORTS[service]) return undefined;
  return `${url.protocol}//${url.hostname}:${DEVELOPMENT_PORTS[other]}/${accountOfUrl(url)}`;
}

/** Whether a text names an account over the wire, where a command also accepts a directory. */
export const isAddress = (text: string): boolean =>
  /^https?:\/\//i.test(text) || text.startsWith('@') || /(?:^|;)\s*[A-Za-z]+=/.test(text);

/** The text of `@FILE`, or the text itself. @throws ToolError usage */
export function toldText(text: string): string {
  if (!text.startsWith('@')) return text;
  const path = text.slice(1);
  let told: string;
  try {
    told = readFileSync(path, 'utf8')
      .replace(/^\ufeff/, '')
      .trim();
  } catch (error) {
    throw new ToolError('usage', `The file ${path} of the address cannot be read: ${systemCodeOf(error)}.`);
  }
  if (told.startsWith('@')) throw new ToolError('usage', 'The file of an address names another file.');
  return told;
}

/**
 * Reads a SOURCE or TARGET.
 *
 * @throws ToolError usage, for an invalid text. The message does not repeat the text, which may hold a key.
 */
export function parseAddress(text: string): Address {
  const told = toldText(text.trim());
  if (/^https?:\/\//i.test(told)) return urlAddress(told);
  if (/^[^=;]+=/.test(told)) return connectionAddress(told);
  throw new ToolError('usage', `The address is none: it may be ${FORMS}.`);
}

/** The address from an option, or from the environment. @throws ToolError usage, if neither has one. */
export function addressFrom(
  option: { readonly flag: '--from' | '--to'; readonly value: string | undefined },
  environment: Readonly<Record<string, string | undefined>>,
): Address {
  const variable = option.flag === '--from' ? 'SHELFMARK_FROM' : 'SHELFMARK_TO';
  const text = option.value ?? environment[variable];
  if (!text)
    throw new ToolError('usage', `Neither ${option.flag} nor ${variable} is given: it may be ${FORMS}.`);
  return parseAddress(text);
}
