// Signs requests in every way there is (protocol: authentication, sas), with no code of the packages.
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY } from '#server';
import { chance, from, oneOf } from '../random/arbitrary.js';
import { accountSas, tableSas } from '../simulation/run/signing.js';
import { TABLES } from './texts/operation-text.js';

export const ACCOUNT = WELL_KNOWN_ACCOUNT;
/** The time of the fuzzed service, which stands still. */
export const DATE = 'Wed, 01 Jan 2020 01:02:00 GMT';
export const NOW = BigInt(Date.parse(DATE)) * 10_000n;

const KEY = Buffer.from(WELL_KNOWN_KEY, 'base64');

export const sign = (text: string, key: Buffer = KEY): string =>
  createHmac('sha256', key).update(text).digest('base64');

/** The first of a repeated name counts; what does not decode is refused in any case. */
function compOf(query: string): string | undefined {
  const text = /(?:^|&)comp=([^&]*)/.exec(query)?.[1];
  if (text === undefined) return undefined;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

export function canonicalResource(target: string, account = ACCOUNT): string {
  const question = target.indexOf('?');
  const path = question < 0 ? target : target.slice(0, question);
  const comp = question < 0 ? undefined : compOf(target.slice(question + 1));
  return `/${account}${path}${comp === undefined ? '' : `?comp=${comp}`}`;
}

interface Signable {
  readonly method: string;
  /** From its slash on. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
}

export const sharedKeyLite = ({ target }: Signable, date = DATE): string =>
  `SharedKeyLite ${ACCOUNT}:${sign(`${date}\n${canonicalResource(target)}`)}`;

export function sharedKey({ method, target, headers }: Signable, date = DATE): string {
  const lines = [method, headers['content-md5'] ?? '', headers['content-type'] ?? '', date];
  return `SharedKey ${ACCOUNT}:${sign([...lines, canonicalResource(target)].join('\n'))}`;
}

const ACCOUNT_SAS = accountSas();
const TABLE_SAS = TABLES.map(table => [table, tableSas(table)] as const);
const BAD = [
  'SharedKey',
  'SharedKeyLite a:b',
  `SharedKey ${ACCOUNT}:AAAA`,
  'Bearer x.y.z',
  'Bearer',
  'Basic eA==',
  '',
];

const withQuery = (request: Signable, query: string): Signable => ({
  ...request,
  target: `${request.target}${request.target.includes('?') ? '&' : '?'}${query}`,
});

const withHeaders = (request: Signable, headers: Readonly<Record<string, string>>): Signable => ({
  ...request,
  headers: { ...request.headers, ...headers },
});

type Way = (request: Signable, bearer: string) => Signable;

const tableWay =
  ([named, sas]: (typeof TABLE_SAS)[number], isOfOther: boolean): Way =>
  request => {
    const [, own = sas] = TABLE_SAS.find(([table]) => request.target.includes(`/${table}`)) ?? [named];
    return withQuery(request, isOfOther ? sas : own);
  };

const keyWay =
  (authorizationOf: (request: Signable) => string): Way =>
  request =>
    withHeaders(request, { 'x-ms-date': DATE, authorization: authorizationOf(request) });

/** Signs a request, with a token of the local issuer. A table's signature is mostly of the table that it names. */
export const credentials: fc.Arbitrary<Way> = oneOf<Way>(
  [50, fc.constant(keyWay(request => sharedKeyLite(request)))],
  [15, fc.constant(keyWay(request => sharedKey(request)))],
  [18, fc.constant(request => withQuery(request, ACCOUNT_SAS))],
  [12, fc.tuple(from(TABLE_SAS), chance(10)).map(([sas, isOfOther]) => tableWay(sas, isOfOther))],
  [1, fc.constant((request, bearer) => withHeaders(request, { authorization: `Bearer ${bearer}` }))],
  [2, from(BAD).map(authorization => keyWay(() => authorization))],
  [2, fc.constant(request => request)],
);
