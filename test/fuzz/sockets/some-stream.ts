// Everything that one client sends over one connection: requests one after another, without waiting for answers, cut into packets.
import fc from 'fast-check';
import { below, chance, from, maybe, oneOf, seldom, several } from '../../random/arbitrary.js';
import { ACCOUNT, DATE, sharedKeyLite } from '../credentials.js';
import { bytesOf, type FuzzRequest, HOST, tableRequests } from '../direct/some-request.js';
import { mutations } from '../texts/mutate.js';
import { styles, writeRequest } from './write-request.js';

export interface Stream {
  /** A character for each byte. */
  readonly bytes: string;
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
  ...['é', 'ß', '€', '\u{1f600}', '\u{20bb7}', 'a', '"', '\\', '\n', '\u0000', '\ud800', '\u2028', '名前'],
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
  return { method, target, headers, body: bytesOf(body) };
};

export const createEchoTable = signed('POST', 'Tables', JSON.stringify({ TableName: ECHO_TABLE }));

const LARGE_PATH = `${ECHO_TABLE}(PartitionKey='large',RowKey='')`;
const LARGE_LENGTH = 30_000;
export const writeLarge = signed('PUT', LARGE_PATH, JSON.stringify({ text: 'x'.repeat(LARGE_LENGTH) }));
/** The answer is a hundred times as long as the request. */
export const readLarge = signed('GET', LARGE_PATH, '');

/** A write of a text, and the point query that must return it. */
function echoRequests(text: string, method: string, place: number): readonly FuzzRequest[] {
  const path = `${ECHO_TABLE}(PartitionKey='${place}',RowKey='%C3%A9')`;
  // As UTF-8 where possible, so that characters are cut and not escapes.
  const body = `{"text":"${[...text].map(one => (/["\\\p{Cc}\p{Surrogate}]/u.test(one) ? JSON.stringify(one).slice(1, -1) : one)).join('')}"}`;
  return [signed(method, path, body), signed('GET', path, '')];
}

const PLACES = 2 ** 24;
const ALL_CUT_MAX = 300;
const LOOKED_AT = 2_000;

/** Within characters and line ends rather than anywhere, or after each byte. */
const cutting: fc.Arbitrary<(bytes: string) => readonly number[]> = fc
  .tuple(several(fc.tuple(below(PLACES), chance(70)), 0, 6), chance(10))
  .map(([places, isEach]) => bytes => {
    if (bytes.length < ALL_CUT_MAX && isEach) return Array.from({ length: bytes.length }, (_, at) => at);
    const cuts = places.map(([place, isWithin]) => {
      const at = place % Math.max(1, bytes.length);
      const found = isWithin ? bytes.slice(at, at + LOOKED_AT).search(/[\r\u00c0-\u00ff]/) : -1;
      return at + found + 1;
    });
    return [...new Set(cuts)].sort((a, b) => a - b);
  });

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
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'GET /\r\n',
  Buffer.from('160301020001000001fc0303', 'hex').toString('latin1'),
  '\u00ff'.repeat(300),
  '\r\n'.repeat(40_000),
  'GET / HTTP/1.0\r\n\r\n',
  'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
  '',
];

type Damage = (bytes: string) => string;

const damage: fc.Arbitrary<Damage> = oneOf<Damage>(
  [1, from(NO_HTTP).map(added => bytes => bytes + added)],
  [
    4,
    fc.tuple(from(DAMAGED_HEADS), below(PLACES)).map(([head, place]) => bytes => {
      const ends = [...bytes.matchAll(/\r\n/g)].map(({ index }) => index);
      const at = ends[place % ends.length] ?? 0;
      return `${bytes.slice(0, at)}\r\n${head}${bytes.slice(at)}`;
    }),
  ],
  [2, below(PLACES).map(place => bytes => bytes.slice(0, place % (bytes.length + 1)))],
  [3, mutations(100).map(change => bytes => change(bytes).slice(0, 4 * BODY_BYTES_MAX))],
);

/** The server ends the connection after a request with an invalid host, so only damaged streams have one. */
const SOUND_HOST = /^(?:[\w.-]+|\[[\da-f:]+\])?(?::\d{1,5})?$/i;

const isTaken = ({ headers, body }: FuzzRequest): boolean =>
  body.length <= BODY_BYTES_MAX && headers.connection === undefined;
/** Answers to HEAD have no body, which depends on the request: damaged streams have none. */
const isFit = ({ method, headers }: FuzzRequest, isDamaged: boolean): boolean =>
  isDamaged ? method !== 'HEAD' : SOUND_HOST.test(headers.host ?? '');

const texts = several(from(TEXTS), 0, 39).map(all => all.join(''));
const echoes = fc.tuple(texts, from(['PUT', 'MERGE']));

/** `place` differs from those of streams at the same time. */
export function streams(bearer: string, place: number): fc.Arbitrary<Stream> {
  const sent = fc.tuple(tableRequests(bearer).filter(isTaken), styles);
  const requests = seldom(15, several(sent, 4, 5), several(sent, 1, 3));
  return fc
    .tuple(requests, maybe(40, damage), maybe(50, echoes), styles, cutting)
    .map(([all, spoil, echo, style, cut]) => {
      const fit = all.filter(([request]) => isFit(request, spoil !== undefined));
      const [text, method] = spoil === undefined && echo !== undefined ? echo : [];
      if (text !== undefined && method !== undefined)
        fit.push(...echoRequests(text, method, place).map(each => [each, style] as (typeof fit)[number]));
      const whole = fit.map(([request, style]) => writeRequest(request, style)).join('');
      const bytes = spoil === undefined ? whole : spoil(whole);
      return {
        bytes,
        cuts: cut(bytes),
        methods: spoil === undefined ? fit.map(([{ method }]) => method) : undefined,
        echo: text === undefined ? undefined : { answer: fit.length - 1, text },
      };
    });
}
