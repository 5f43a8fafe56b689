// Requests to the explorer's server, which signs those to an account and passes them on. An answer other than 2xx is an
// AskError with the service's code and sentence; a session that has ended is waited for.
import { proof, untilSession } from './session.js';

export type Service = 'table' | 'queue' | 'blob';

export interface Account {
  readonly name: string;
  /** Whether it has a key, and not only a SAS. */
  readonly canSign: boolean;
  readonly endpoints: Readonly<Partial<Record<Service, string>>>;
}

export interface Asked {
  readonly account: string;
  readonly service: Service;
  readonly method?: string;
  /** Below the account's endpoint, encoded; begins with a slash. */
  readonly path: string;
  /** Not encoded yet; undefined ones are left out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Blob | undefined;
  readonly signal?: AbortSignal | undefined;
}

export class AskError extends Error {
  override readonly name = 'AskError';
  /** 0 if there was no answer. */
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const STOPPED = 'The explorer does not answer. Is Shelfmark still running?';

/** The code and the first sentence of a service's error, in JSON or in XML. */
async function errorOf(response: Response): Promise<AskError> {
  const text = await response.text().catch(() => '');
  const code =
    /"code"\s*:\s*"([^"]*)"/.exec(text)?.[1] ??
    /<(?:m:)?code>([^<]*)</i.exec(text)?.[1] ??
    response.headers.get('x-ms-error-code') ??
    '';
  const message =
    /"(?:value|message)"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ??
    /<(?:m:)?message[^>]*>([^<]*)</i.exec(text)?.[1] ??
    '';
  const [sentence = ''] = message.split(/\\n|\n/);
  return new AskError(response.status, code, sentence || `The service answered ${response.status}.`);
}

async function fetchOnce(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, { ...init, headers: { ...init.headers, 'x-explorer-proof': proof() } });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new AskError(0, 'NoAnswer', STOPPED);
  }
}

/** @throws AskError, or the signal's reason. */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  for (;;) {
    const response = await fetchOnce(path, init);
    if (response.headers.get('x-explorer-error') === 'SessionEnded') {
      await untilSession();
      continue;
    }
    if (!response.ok) throw await errorOf(response);
    return response;
  }
}

const VERSIONS: Readonly<Record<Service, string>> = {
  table: '2019-02-02',
  queue: '2019-02-02',
  blob: '2020-10-02',
};

/** The path of a request at the explorer's server. */
export function pathOf({ account, service, path, query = {} }: Asked): string {
  const parameters = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value ?? '')}`);
  const text = parameters.length === 0 ? '' : `?${parameters.join('&')}`;
  return `/accounts/${encodeURIComponent(account)}/${service}${path}${text}`;
}

/** Sends a request to an account. @throws AskError, or the signal's reason. */
export function ask(asked: Asked): Promise<Response> {
  const { service, method = 'GET', headers = {}, body, signal } = asked;
  return send(pathOf(asked), {
    method,
    headers: { 'x-ms-version': VERSIONS[service], ...headers },
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
  });
}

interface Offer {
  readonly accounts: readonly Account[];
  /** Whether there are live figures. */
  readonly hasLive: boolean;
  /** Whether partitions are counted. */
  readonly hasHeat: boolean;
}

export async function readAccounts(): Promise<Offer> {
  return (await (await send('/accounts')).json()) as Offer;
}

export const isAborted = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'AbortError';

/** A sentence for the user. */
export const sentenceOf = (error: unknown): string => {
  if (!(error instanceof AskError)) return error instanceof Error ? error.message : String(error);
  return error.code === '' || error.code === 'NoAnswer' ? error.message : `${error.code}: ${error.message}`;
};
