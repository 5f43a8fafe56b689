// Requests to the explorer's server, which signs those to an account and passes them on; a session that has ended is
// waited for. And what a failure is in words, of the explorer or of an account's client.
import { signal } from '@preact/signals';
import { proof, untilSession } from './session.js';

export type Service = 'table' | 'queue' | 'blob';

export interface Account {
  readonly name: string;
  /** Whether it has a key, and not only a SAS. */
  readonly canSign: boolean;
  readonly endpoints: Readonly<Partial<Record<Service, string>>>;
}

/** What the explorer itself refuses, or that it does not answer. */
export class AskError extends Error {
  override readonly name = 'AskError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const STOPPED = 'The explorer does not answer. Is Shelfmark still running?';

async function fetchOnce(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, { ...init, headers: { ...init.headers, 'x-explorer-proof': proof() } });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new AskError('NoAnswer', STOPPED);
  }
}

/** The explorer's answer, or an account's, whatever its status is. @throws AskError, or the signal's reason. */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  for (;;) {
    const response = await fetchOnce(path, init);
    const code = response.headers.get('x-explorer-error');
    if (code === null) return response;
    if (code === 'SessionEnded') {
      await untilSession();
      continue;
    }
    const message = `The explorer answered ${response.status}.`;
    const refusal = await response.json().catch(() => ({ message }));
    throw new AskError(code, (refusal as { readonly message: string }).message);
  }
}

export const accounts = signal<readonly Account[]>([]);

/** @throws AskError */
export function endpointOf(account: string, service: Service): string {
  const endpoint = accounts.value.find(({ name }) => name === account)?.endpoints[service];
  if (endpoint !== undefined) return endpoint;
  throw new AskError('NoService', `Account ${account} has no endpoint for ${service}s.`);
}

/** The explorer's path of a URL of an account. */
export function pathOf(account: string, service: Service, url: string): string {
  const { pathname, search } = new URL(url);
  const { pathname: base } = new URL(endpointOf(account, service));
  const below = pathname.slice(base.length).replace(/^\//, '');
  return `/accounts/${encodeURIComponent(account)}/${service}/${below}${search}`;
}

interface Offer {
  readonly accounts: readonly Account[];
  /** Whether there are live figures. */
  readonly hasLive: boolean;
  /** Whether partitions are counted. */
  readonly hasHeat: boolean;
}

export async function readAccounts(): Promise<Offer> {
  const offer = (await (await send('/accounts')).json()) as Offer;
  accounts.value = offer.accounts;
  return offer;
}

export const isAborted = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

/** An AskError, or a RestError of the clients, which have the code and sentence of tables in the details alone. */
interface Refused {
  readonly message: string;
  readonly code?: unknown;
  readonly statusCode?: number;
  readonly details?: {
    readonly errorCode?: string;
    readonly odataError?: { readonly code?: string; readonly message?: { readonly value?: string } };
  };
}

/** The service's code; empty if there is none. */
export function codeOf(error: unknown): string {
  const { code, details } = error as Refused;
  const found = details?.odataError?.code ?? details?.errorCode ?? code;
  return typeof found === 'string' ? found : '';
}

/** What the service answered; undefined without an answer. */
export const statusOf = (error: unknown): number | undefined => (error as Refused).statusCode;

/** Without the lines in which services repeat the request's id and time. */
function messageOf(error: unknown): string {
  const { message, details, statusCode } = error as Refused;
  const [sentence = ''] = (details?.odataError?.message?.value ?? message).split('\n');
  return sentence || `The service answered ${statusCode}.`;
}

/** For refusals that a client takes for success. */
export const refusalOf = (error: unknown): AskError => new AskError(codeOf(error), messageOf(error));

/** A sentence for the user. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = codeOf(error);
  return code === '' || code === 'NoAnswer' ? messageOf(error) : `${code}: ${messageOf(error)}`;
}
