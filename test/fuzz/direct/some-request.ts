// A whole request: an operation, mutated in some of its parts before it is signed, so that what is mutated comes as far as it can.
import type { Random } from '../../simulation/plan/random.js';
import { ACCOUNT, someCredentials } from '../credentials.js';
import { someBatch } from '../texts/batch-text.js';
import { mutate, mutateBytes } from '../texts/mutate.js';
import { type PlainRequest, someOperation } from '../texts/operation-text.js';
import { percentEncode } from '../texts/percent-encode.js';

export interface FuzzRequest {
  /** Default: tables. */
  readonly service?: 'blob';
  readonly method: string;
  readonly target: string;
  /** Names in lower case, as the server hands them on. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export const HOST = '127.0.0.1:10002';

const METHODS = ['GET', 'POST', 'PUT', 'MERGE', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE'];
const HEADER_NAMES = [
  ...[
    'accept',
    'content-type',
    'if-match',
    'if-none-match',
    'prefer',
    'x-http-method',
    'origin',
    'x-ms-version',
  ],
  ...[
    'x-ms-client-request-id',
    'content-md5',
    'host',
    'date',
    'x-ms-date',
    'dataserviceversion',
    '__proto__',
    'constructor',
  ],
];
const VERSIONS = ['2019-02-02', '2019-02-02', '2020-12-06', '2017-04-17', '2026-10-06'];
const HOSTS = [`${ACCOUNT}.table.localhost`, 'localhost', 'other.example', '[::1]:10002', ''];
const LONG_SHARE = 0.001;

/** What may stand in a request line; all else is percent-encoded, as no connection would let it in. */
export const inTarget = (text: string): string =>
  text.replace(/[^!-~]/gu, character => percentEncode(character));

/** What may stand in a header; all else is left out. */
export const inHeader = (text: string): string => text.replace(/[^\t -~\u0080-\u00ff]/g, '').trim();

const TARGET_LENGTH_MAX = 60_000;
const HEADER_LENGTH_MAX = 8_000;

function mutateHeaders(random: Random, headers: Readonly<Record<string, string>>): Record<string, string> {
  // A map, because `__proto__` is the name of a header too.
  const mutated = new Map(Object.entries(headers));
  const name = random.pick(random.happens(0.5) ? [...mutated.keys(), 'accept'] : HEADER_NAMES);
  if (random.happens(0.1)) mutated.delete(name);
  else {
    const before = mutated.get(name) ?? random.pick([...mutated.values(), '*']);
    mutated.set(name, inHeader(mutate(random, before)).slice(0, HEADER_LENGTH_MAX));
  }
  return Object.fromEntries(mutated);
}

/** The parts of a plain request that were mutated. */
function spoil(
  random: Random,
  request: PlainRequest,
  body: Buffer,
): PlainRequest & { readonly bytes: Buffer } {
  const seldom = (): boolean => random.happens(0.12);
  return {
    method: random.happens(0.03) ? random.pick(METHODS) : request.method,
    path: seldom() ? mutate(random, request.path) : request.path,
    query: seldom() ? mutate(random, request.query) : request.query,
    headers: seldom() ? mutateHeaders(random, request.headers) : request.headers,
    body: request.body,
    bytes: random.happens(0.25) ? mutateBytes(random, body) : body,
  };
}

function accountOf(random: Random): string {
  if (random.happens(0.97)) return ACCOUNT;
  return random.pick([
    `${ACCOUNT}-secondary`,
    `${ACCOUNT}-secondary`,
    'nobody',
    '__proto__',
    'constructor',
    '',
  ]);
}

/** `bearer` is a token of the local issuer. */
export function someRequest(random: Random, bearer: string): FuzzRequest {
  const account = accountOf(random);
  const sound = random.happens(0.15) ? someBatch(random, account) : someOperation(random);
  const soundBody = Buffer.from(sound.body);
  const plain = random.happens(0.4) ? { ...sound, bytes: soundBody } : spoil(random, sound, soundBody);
  const host = random.happens(0.02) ? random.pick(HOSTS) : HOST;
  const isHostStyle = host.startsWith(`${ACCOUNT}.`);
  const question = plain.query === '' ? '' : `?${plain.query}`;
  const isAbsolute = random.happens(0.01);
  const below = `${isHostStyle ? '' : `/${account}`}/${plain.path}${question}`;
  const long = random.happens(LONG_SHARE) ? `${question === '' ? '?' : '&'}x=${'x'.repeat(32_768)}` : '';
  const target = inTarget(below + long).slice(0, TARGET_LENGTH_MAX);
  const headers = { host, 'x-ms-version': random.pick(VERSIONS), ...plain.headers };
  const signed = someCredentials(random, { method: plain.method, target, headers }, bearer);
  return {
    method: plain.method,
    target: isAbsolute ? `http://${HOST}${signed.target}` : signed.target,
    headers: signed.headers,
    body: plain.bytes,
  };
}
