// Everything that one client sends over one connection: requests one after another, without waiting for answers, cut into packets.
import type { Random } from '../../simulation/plan/random.js';
import { ACCOUNT, DATE, sharedKeyLite } from '../credentials.js';
import { type FuzzRequest, HOST, someRequest } from '../direct/some-request.js';
import { mutateBytes } from '../texts/mutate.js';
import { writeRequest } from './write-request.js';

export interface Stream {
  readonly bytes: Buffer;
  /** Where a packet ends, in rising order. */
  readonly cuts: readonly number[];
  /** The methods of all requests if each must be answered; undefined if the bytes were damaged. */
  readonly methods: readonly string[] | undefined;
  /** Which answer must have which text as the property `text`. */
  readonly echo: { readonly answer: number; readonly text: string } | undefined;
}

/** Other requests seldom name the table. */
const ECHO_TABLE = 'Echo';
const TEXTS = [
  'é',
  'ß',
  '€',
  '\u{1f600}',
  '\u{20bb7}',
  'a',
  '"',
  '\\',
  '\n',
  '\u0000',
  '\ud800',
  '\u2028',
  '名前',
];
const BODY_BYTES_MAX = 100_000;

const signed = (method: string, path: string, body: string): FuzzRequest => {
  const target = `/${ACCOUNT}/${path}`;
  const headers = {
    host: HOST,
    'x-ms-date': DATE,
    accept: 'application/json;odata=nometadata',
    authorization: sharedKeyLite({ method, target, headers: {} }),
  };
  return { method, target, headers, body: Buffer.from(body) };
};

export const createEchoTable = signed('POST', 'Tables', JSON.stringify({ TableName: ECHO_TABLE }));

const LARGE_PATH = `${ECHO_TABLE}(PartitionKey='large',RowKey='')`;
const LARGE_LENGTH = 30_000;
export const writeLarge = signed('PUT', LARGE_PATH, JSON.stringify({ text: 'x'.repeat(LARGE_LENGTH) }));
/** The answer is a hundred times as long as the request. */
export const readLarge = signed('GET', LARGE_PATH, '');

/** A write of a text, and the point query that must return it; the number separates streams. */
function echoRequests(random: Random, number: number, text: string): readonly FuzzRequest[] {
  const path = `${ECHO_TABLE}(PartitionKey='${number % 100}',RowKey='%C3%A9')`;
  // As UTF-8 where possible, so that characters are cut and not escapes.
  const body = `{"text":"${[...text].map(one => (/["\\\p{Cc}\p{Surrogate}]/u.test(one) ? JSON.stringify(one).slice(1, -1) : one)).join('')}"}`;
  return [signed(random.pick(['PUT', 'MERGE']), path, body), signed('GET', path, '')];
}

/** Within characters and line ends rather than anywhere, or after each byte. */
function someCuts(random: Random, bytes: Buffer): number[] {
  if (bytes.length < 300 && random.happens(0.1)) return Array.from(bytes.keys());
  const cuts = new Set<number>();
  for (let left = random.below(7); left > 0; left -= 1) {
    let at = random.below(bytes.length);
    if (random.happens(0.7)) {
      for (let i = at; i < Math.min(bytes.length, at + 2_000); i += 1) {
        if ((bytes[i] ?? 0) >= 0xc0 || bytes[i] === 0x0d) {
          at = i + 1;
          break;
        }
      }
    }
    cuts.add(at);
  }
  return [...cuts].sort((a, b) => a - b);
}

const DAMAGED_HEADS = [
  'Content-Length: 5\r\nContent-Length: 5',
  'Content-Length: 5, 5',
  'Content-Length: +5',
  'Content-Length: -1',
  'Content-Length: 0x5',
  'Content-Length: 99999999999999999999',
  'Content-Length: 100',
  'Content-Length: 5\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: identity',
  'Transfer-Encoding : chunked',
  ' folded: x',
  'no colon',
  ': no name',
  'X-Nul: a\0b',
  'X-Bare: a\nY: b',
  'X-CR: a\rb',
  'Host: a\r\nHost: b',
  'Host: a/b',
  'Host: h\u00f6st',
  'Expect: something',
  'Connection: close',
  'Upgrade: h2c\r\nConnection: Upgrade',
  `X-Long: ${'x'.repeat(70_000)}`,
  'X: y\r\n'.repeat(2_100).trimEnd(),
];
const NO_HTTP = [
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from('GET /\r\n'),
  Buffer.from('160301020001000001fc0303', 'hex'),
  Buffer.alloc(300, 0xff),
  Buffer.from('\r\n'.repeat(40_000)),
  Buffer.from('GET / HTTP/1.0\r\n\r\n'),
  Buffer.from('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'),
  Buffer.alloc(0),
];

function damage(random: Random, bytes: Buffer): Buffer {
  const kind = random.below(10);
  if (kind === 0) return Buffer.concat([bytes, random.pick(NO_HTTP)]);
  if (kind < 5) {
    const text = bytes.toString('latin1');
    const ends = [...text.matchAll(/\r\n/g)].map(({ index }) => index);
    const at = random.pick(ends.length > 0 ? ends : [0]);
    return Buffer.from(`${text.slice(0, at)}\r\n${random.pick(DAMAGED_HEADS)}${text.slice(at)}`, 'latin1');
  }
  if (kind < 7) return bytes.subarray(0, random.below(bytes.length + 1));
  return mutateBytes(random, bytes).subarray(0, 4 * BODY_BYTES_MAX);
}

/** The server ends the connection after a request with an invalid host, so only damaged streams have one. */
const SOUND_HOST = /^(?:[\w.-]+|\[[\da-f:]+\])?(?::\d{1,5})?$/i;

/** Answers to HEAD have no body, which depends on the request: damaged streams have none. */
function someRequests(random: Random, bearer: string, isDamaged: boolean): FuzzRequest[] {
  const requests: FuzzRequest[] = [];
  for (let left = random.pick([1, 1, 2, 3, 5]); left > 0; left -= 1) {
    const request = someRequest(random, bearer);
    const { method, headers, body } = request;
    const isTaken = body.length <= BODY_BYTES_MAX && headers.connection === undefined;
    const isFit = isDamaged ? method !== 'HEAD' : SOUND_HOST.test(headers.host ?? '');
    if (isTaken && isFit) requests.push(request);
  }
  return requests;
}

export function someStream(random: Random, number: number, bearer: string): Stream {
  const isDamaged = random.happens(0.4);
  const requests = someRequests(random, bearer, isDamaged);
  const text = Array.from({ length: random.below(40) }, () => random.pick(TEXTS)).join('');
  const hasEcho = !isDamaged && random.happens(0.5);
  if (hasEcho) requests.push(...echoRequests(random, number, text));
  const sound = Buffer.concat(requests.map(request => writeRequest(random, request)));
  const bytes = isDamaged ? damage(random, sound) : sound;
  return {
    bytes,
    cuts: someCuts(random, bytes),
    methods: isDamaged ? undefined : requests.map(({ method }) => method),
    echo: hasEcho ? { answer: requests.length - 1, text } : undefined,
  };
}
