// A Table service on a memory store, and a client that signs plain requests on its own (protocol: authentication),
// for tests that go through the frame without a socket.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import type { WireRequest, WireResponse } from '#base';
import { openMemoryStore, type Store } from '#store';
import { Accounts, WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY } from '../auth/accounts.js';
import { BearerTokens } from '../auth/bearer.js';
import { Service } from '../frame/handle-request.js';
import type { ServerContext } from '../frame/server-context.js';
import type { RequestEntry } from '../observe/log.js';
import { TABLE_SERVICE } from '../services/table/table-service.js';

export const ACCOUNT = WELL_KNOWN_ACCOUNT;
export const DATE = 'Wed, 01 Jan 2020 01:02:00 GMT';
export const NOW = BigInt(Date.parse(DATE)) * 10_000n;
export const HOST = '127.0.0.1:10002';
export const ENDPOINT = `http://${HOST}/${ACCOUNT}`;

export const hmac = (text: string, key = WELL_KNOWN_KEY): string =>
  createHmac('sha256', Buffer.from(key, 'base64')).update(text).digest('base64');

export interface Sent {
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string | Buffer;
  readonly bodyTooLarge?: boolean;
  /** Goes out without an Authorization header. */
  readonly anonymous?: boolean;
}

export interface TestService {
  readonly service: ServerContext;
  /** In the order of the requests. */
  readonly logged: RequestEntry[];
  readonly failures: unknown[];
  /** `target` is the whole of it. */
  raw(method: string, target: string, sent?: Sent): Promise<WireResponse>;
  /** `path` stands below the account. */
  send(method: string, path: string, sent?: Sent): Promise<WireResponse>;
}

/** Path as it is sent and `comp`, signed by Shared Key Lite. */
function authorization(target: string): string {
  const [path = '', query = ''] = target.split('?');
  const comp = /(?:^|&)comp=([^&]*)/.exec(query)?.[1];
  const resource = `/${ACCOUNT}${path}${comp === undefined ? '' : `?comp=${comp}`}`;
  return `SharedKeyLite ${ACCOUNT}:${hmac(`${DATE}\n${resource}`)}`;
}

export function openService(store: Store = openMemoryStore({ clock: () => NOW })): TestService {
  const accounts = new Accounts({ [ACCOUNT]: [WELL_KNOWN_KEY] });
  const logged: RequestEntry[] = [];
  const failures: unknown[] = [];
  let ids = 0;
  const service: ServerContext = {
    store,
    content: openMemoryStore({ clock: () => NOW }).content,
    clock: () => NOW,
    accounts,
    bearer: new BearerTokens(accounts),
    log: {
      seesAnswers: true,
      request: entry => logged.push(entry),
      failure: (entry, error) => {
        logged.push(entry);
        failures.push(error);
      },
    },
    metrics: undefined,
    forwarding: undefined,
    deletion: undefined,
    newId: () => `00000000-0000-0000-0000-${String(++ids).padStart(12, '0')}`,
  };
  const tables = new Service(TABLE_SERVICE, service);
  const raw = (method: string, target: string, sent: Sent = {}): Promise<WireResponse> => {
    const signed = sent.anonymous ? {} : { 'x-ms-date': DATE, authorization: authorization(target) };
    const body = Buffer.from(sent.body ?? '');
    const common = { host: HOST, 'x-ms-version': '2019-02-02', 'content-length': `${body.length}` };
    const request: WireRequest = {
      method,
      target,
      headers: { ...common, ...signed, ...sent.headers },
      body,
      bodyTooLarge: sent.bodyTooLarge ?? false,
      secure: false,
      remoteAddress: '127.0.0.1',
    };
    return tables.handle(request);
  };
  return {
    service,
    logged,
    failures,
    raw,
    send: (method, path, sent) => raw(method, `/${ACCOUNT}/${path}`, sent),
  };
}

/** With the table `People` in it. */
export async function openTable(): Promise<TestService> {
  const opened = openService();
  await opened.send('POST', 'Tables', { body: '{"TableName":"People"}' });
  return opened;
}

export const headersOf = ({ headers }: WireResponse): ReadonlyMap<string, string> =>
  new Map(headers.map(([name, value]) => [name.toLowerCase(), value]));

export const textOf = ({ body }: WireResponse): string => body?.toString() ?? '';

/** Status, code and first line of a refusal in whatever form; `0` and nothing else for a success. */
export function refusalOf(response: WireResponse): string {
  if (response.status < 400) return '0';
  const text = textOf(response);
  const [, code] = /"code":"(\w*)"|<(?:m:)?code>(\w*)</.exec(text)?.filter(part => part !== undefined) ?? [];
  return `${response.status} ${code}`;
}

/** The sentence of a refusal, without the lines that follow it. */
export function sentenceOf(response: WireResponse): string {
  const [, sentence] =
    /(?:"value":"|xml:lang="en-US">)(.*?)(?:\\n|\n)RequestId:/.exec(textOf(response)) ?? [];
  return sentence ?? assert.fail(`There is no sentence in ${textOf(response)}`);
}

/** A signature of a table for a query, from its fields in any order. */
export function tableSas(table: string, fields: Readonly<Record<string, string>>): string {
  const all: Readonly<Record<string, string>> = { se: '2030-01-01T00:00:00Z', sv: '2019-02-02', ...fields };
  const line = (name: string): string => all[name] ?? '';
  const resource = `/table/${ACCOUNT}/${table.toLowerCase()}`;
  const names = ['si', 'sip', 'spr', 'sv', 'spk', 'srk', 'epk', 'erk'];
  const text = [line('sp'), line('st'), line('se'), resource, ...names.map(line)].join('\n');
  return new URLSearchParams({ ...all, tn: table, sig: hmac(text) }).toString();
}

/** An account's. */
export function accountSas(fields: Readonly<Record<string, string>>): string {
  const all: Readonly<Record<string, string>> = {
    se: '2030-01-01T00:00:00Z',
    sv: '2019-02-02',
    ss: 't',
    srt: 'sco',
    ...fields,
  };
  const names = ['sp', 'ss', 'srt', 'st', 'se', 'sip', 'spr', 'sv'];
  const text = [ACCOUNT, ...names.map(name => all[name] ?? ''), ''].join('\n');
  return new URLSearchParams({ ...all, sig: hmac(text) }).toString();
}
