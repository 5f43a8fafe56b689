// One attempt to get in: the request, and the credentials that were found, made up or mutated for it.
import { createHmac } from 'node:crypto';
import type fc from 'fast-check';
import { below, chance, type Draw, drawn, from, maybe } from '../../random/arbitrary.js';
import { ACCOUNTS, type Ask, accountPath, asks, requestOf } from './ask.js';
import { type Issued, mac, type Presented, signedText } from './judge.js';
import { type Pairs, writings } from './mutate-token.js';
import { accountToken, tableToken } from './token.js';

export interface Attempt {
  readonly ask: Ask;
  readonly caller: Presented;
  readonly body: string;
}

/** A token that is used again and again, so that the server caches it. */
interface Granted {
  readonly account: string;
  readonly pairs: Pairs;
}

/** The callers' secrets, and what an attacker may have seen of them. */
export interface Secrets {
  readonly keys: ReadonlyMap<string, readonly Buffer[]>;
  readonly bearers: readonly (readonly [token: string, issued: Issued])[];
  readonly granted: readonly Granted[];
}

type Credentials = Pick<Presented, 'headers'> & { readonly query: string };

/** Each has rules of its own. */
const VERSION = from(['2012-02-12', '2015-02-21', '2015-04-05', '2020-12-06']);
const OTHER_KEY = Buffer.from('no key of any account');

function keyFor(draw: Draw, account: string, { keys }: Secrets): Buffer {
  if (draw(chance(95))) return draw(from(keys.get(account) ?? [OTHER_KEY]));
  return draw(from([OTHER_KEY, Buffer.alloc(0), ...[...keys.values()].flat()]));
}

function newPairs(draw: Draw, account: string, secrets: Secrets, isOfTable: boolean): Pairs {
  const fields = draw(isOfTable ? tableToken : accountToken);
  const signedFor = draw(chance(97)) ? account : draw(from([...secrets.keys.keys(), 'nobody']));
  const text = signedText(new Map(fields), signedFor, draw(maybe(4, VERSION)));
  return [...fields, ['sig', mac(keyFor(draw, account, secrets), text).toString('base64')]];
}

export function someGranted(draw: Draw, secrets: Secrets): Granted[] {
  return Array.from({ length: 12 }, (_, i) => {
    const account = draw(chance(90)) ? ACCOUNTS[0] : ACCOUNTS[1];
    return { account, pairs: newPairs(draw, account, secrets, i % 3 > 0) };
  });
}

function someSas(draw: Draw, { account }: Ask, secrets: Secrets, isOfTable: boolean): Credentials {
  const known = draw(chance(75)) ? draw(from(secrets.granted)) : undefined;
  const isUsed = known !== undefined && (known.account === account || draw(chance(20)));
  const pairs = isUsed ? known.pairs : newPairs(draw, account, secrets, isOfTable);
  return { headers: {}, query: draw(writings)(pairs) };
}

const DATES = [
  'Wed, 01 Jan 2020 01:02:00 GMT',
  'Wed, 01 Jan 2020 00:47:00 GMT',
  'Wed, 01 Jan 2020 01:17:00 GMT',
];
const BAD_DATES = [
  'Wed, 01 Jan 2020 00:46:59 GMT',
  'Wed, 01 Jan 2020 01:17:01 GMT',
  'Thu, 02 Jan 2020 01:02:00 GMT',
  'x',
  '',
];

interface ToSign {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly contentType: string;
}

function someKeySignature(
  draw: Draw,
  ask: Ask,
  secrets: Secrets,
  { method, path, query, contentType }: ToSign,
): Credentials {
  const isLite = draw(chance(50));
  const date = draw(from(draw(chance(85)) ? DATES : BAD_DATES));
  const comp = /(?:^|&)comp=(\w*)/.exec(query)?.[1];
  const mostly = <T>(right: T, ...wrong: readonly T[]): T => (draw(chance(93)) ? right : draw(from(wrong)));
  const signedPath = mostly(
    path,
    path.replaceAll("'", '%27'),
    path.replace('-secondary', ''),
    `${path}/`,
    path.toLowerCase(),
    path.slice(0, -1),
    '/',
  );
  const resource = `/${ask.account}${signedPath}${mostly(comp === undefined ? '' : `?comp=${comp}`, '?comp=acl', `?${query}`, '')}`;
  const before = mostly(
    isLite ? [] : [method, '', contentType],
    [method, '', ''],
    ['GET', '', contentType],
    [],
  );
  const text = [...before, date, resource].join('\n');
  const signature = createHmac('sha256', keyFor(draw, ask.account, secrets))
    .update(text)
    .digest('base64');
  const scheme = mostly(
    isLite ? 'SharedKeyLite' : 'SharedKey',
    'SharedKey',
    'SharedKeyLite',
    'sharedkey',
    'Bearer',
  );
  const altered = mostly(
    signature,
    signature.slice(0, -2),
    signature.toLowerCase(),
    '',
    `${signature}=`,
    `A${signature.slice(1)}`,
  );
  const account = mostly(ask.account, 'second', 'devstoreaccount1', 'nobody', `${ask.account}-secondary`);
  const sent = mostly(date, ...DATES);
  const dates: Readonly<Record<string, string>> = mostly<Readonly<Record<string, string>>>(
    { 'x-ms-date': sent },
    { date: sent },
    { date: sent, 'x-ms-date': draw(from(DATES)) },
    {},
  );
  return { headers: { ...dates, authorization: `${scheme} ${account}:${altered}` }, query: '' };
}

const encoded = (document: unknown): string => Buffer.from(JSON.stringify(document)).toString('base64url');

/** A token as it was issued, or one that an attacker would like to have. */
function someBearer(draw: Draw, ask: Ask, { bearers, keys }: Secrets): Credentials {
  const [token] = draw(from(bearers));
  const [head = '', payload = '', signature = ''] = token.split('.');
  const claims: Readonly<Record<string, unknown>> = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const more = encoded({
    ...claims,
    roles: ['Storage Account Contributor'],
    sub: ask.account,
    exp: 4_000_000_000,
  });
  const hmac = (key: Buffer, text: string): string =>
    createHmac('sha256', key).update(text).digest('base64url');
  const [accountKey = OTHER_KEY] = keys.get(ask.account) ?? [];
  const none = encoded({ alg: 'none', typ: 'JWT' });
  const forged = draw(
    from([
      () => `${head}.${more}.${signature}`,
      () => `${none}.${more}.`,
      () => `${none}.${payload}.${signature}`,
      () => `${head}.${more}.${hmac(OTHER_KEY, `${head}.${more}`)}`,
      // The account's key itself is not the key of tokens.
      () => `${head}.${more}.${hmac(accountKey, `${head}.${more}`)}`,
      () => `${head}.${payload}.${signature.slice(0, -1)}`,
      () => `${head}.${payload}.${signature.toLowerCase()}`,
      () => `${head}.${payload}`,
      () => `${token}.`,
      () =>
        draw(from(bearers))[0]
          .split('.')
          .map((piece, i) => (i === 1 ? payload : piece))
          .join('.'),
    ]),
  );
  const text = draw(chance(60)) ? token : forged();
  const scheme = draw(from(['Bearer', 'Bearer', 'Bearer', 'bearer', 'Bearer  ', 'SharedKey']));
  return { headers: { authorization: `${scheme} ${text}` }, query: '' };
}

const ADDRESS = from([
  ...['127.0.0.1', '127.0.0.1', '10.0.0.5', '::ffff:10.0.0.5', '::ffff:127.0.0.1', '::1', '192.168.0.1'],
]);

function someCredentials(draw: Draw, ask: Ask, secrets: Secrets, toSign: ToSign): Credentials {
  const kind = draw(below(40));
  if (kind < 14) return someSas(draw, ask, secrets, true);
  if (kind < 25) return someSas(draw, ask, secrets, false);
  if (kind < 36) return someKeySignature(draw, ask, secrets, toSign);
  if (kind < 38) return someBearer(draw, ask, secrets);
  if (kind < 39) return { headers: {}, query: '' };
  const key = someKeySignature(draw, ask, secrets, toSign);
  return { headers: key.headers, query: someSas(draw, ask, secrets, draw(chance(50))).query };
}

function someAttempt(draw: Draw, secrets: Secrets): Attempt {
  const ask = draw(asks);
  const { method, path: below, query, headers, body } = requestOf(ask);
  const path = `${accountPath(ask)}/${below}`;
  const contentType = headers['content-type'] ?? '';
  const credentials = someCredentials(draw, ask, secrets, { method, path, query, contentType });
  // The first one counts, so that a token's fields cannot change the request.
  const whole = [query, credentials.query].filter(text => text !== '').join('&');
  return {
    ask,
    caller: {
      method,
      target: whole === '' ? path : `${path}?${whole}`,
      headers: {
        host: '127.0.0.1:10002',
        'x-ms-version': '2019-02-02',
        'content-length': String(Buffer.byteLength(body)),
        ...headers,
        ...credentials.headers,
      },
      secure: draw(chance(30)),
      remoteAddress: draw(ADDRESS),
    },
    body,
  };
}

/** The kind that the caller presents. */
export function credentialOf({ headers: { authorization }, target }: Presented): string {
  const ofToken = /[?&]srt=/.test(target) ? 'account SAS' : 'service SAS';
  return authorization?.split(' ', 1)[0] ?? ofToken;
}

export const attempts = (secrets: Secrets): fc.Arbitrary<Attempt> =>
  drawn(draw => someAttempt(draw, secrets));
