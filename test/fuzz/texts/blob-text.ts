// Requests to the Blob service by a grammar of its operations: names, ranges, conditions, lists of blocks, tags,
// batches; mostly valid ones, with invalid values among them. some-blob-request.ts signs them.
import type { Random } from '../../simulation/plan/random.js';
import type { PlainRequest } from './operation-text.js';
import { percentEncode } from './percent-encode.js';
import { someIdentifiers, someServiceProperties } from './xml-text.js';

/** These exist when a run begins. */
export const CONTAINERS = ['fuzz', 'fuzz-2'] as const;
const OTHER_CONTAINERS = [
  'missing',
  'ab',
  'UPPER',
  'a--b',
  '$root',
  '$web',
  '$logs',
  'x'.repeat(63),
  'x'.repeat(64),
  '..',
];
const BLOBS = ['a', 'a', 'a', 'dir/b', 'dir/sub/c', 'é', 'log', 'pages', 'pages'];
const ODD_BLOBS = [
  'a b',
  'dot.',
  'slash/',
  '/a',
  'a//b',
  '..',
  'a/../b',
  '\u{1f600}',
  'x'.repeat(1024),
  'x'.repeat(1025),
  '%',
  '\u0001',
  'a/'.repeat(255),
];
const IDS = ['AAAA', 'BBBB', 'CCCC'];
const ODD_IDS = ['', 'A', 'AAAAA', '====', 'é', 'QUJD'.repeat(16), 'QUJD'.repeat(40)];
const TYPES = ['BlockBlob', 'BlockBlob', 'AppendBlob', 'PageBlob', 'blockblob', 'X', ''];
const LEASE = '11111111-2222-4333-8444-555555555555';
const ETAGS = ['*', '"0x8D"', '"x"', 'W/"x"', '', '"a", "b"'];
const TIMES = ['Wed, 01 Jan 2020 00:00:00 GMT', 'Fri, 01 Jan 2100 00:00:00 GMT', 'x', ''];
const NUMBERS = [
  '0',
  '1',
  '512',
  '1024',
  '8192',
  '4194304',
  '-1',
  'x',
  '1e3',
  '9223372036854775807',
  '9223372036854775808',
  '',
];
const RANGES = [
  'bytes=0-511',
  'bytes=512-1023',
  'bytes=0-4194303',
  'bytes=5-',
  'bytes=-5',
  'bytes=9-3',
  'bytes=0-0',
  'bytes=0-1,3-4',
  'x',
  'bytes=99999999999-',
  'bytes=0-18446744073709551615',
];

const seldom = (random: Random): boolean => random.happens(0.08);
const someContainer = (random: Random): string => random.pick(seldom(random) ? OTHER_CONTAINERS : CONTAINERS);
const someBlob = (random: Random): string => random.pick(seldom(random) ? ODD_BLOBS : BLOBS);
const someId = (random: Random): string => random.pick(seldom(random) ? ODD_IDS : IDS);
const number = (random: Random): string => random.pick(NUMBERS);

const path = (random: Random): string => {
  const name = percentEncode(someBlob(random));
  return `${someContainer(random)}/${random.happens(0.8) ? name.replaceAll('%2F', '/') : name}`;
};

type Headers = Record<string, string>;

const OPTIONAL: readonly (readonly [name: string, values: readonly string[]])[] = [
  ['if-match', ETAGS],
  ['if-none-match', ETAGS],
  ['if-modified-since', TIMES],
  ['if-unmodified-since', TIMES],
  ['x-ms-if-tags', [`"a" = 'b'`, `a > 'b' and c <> 'd'`, '(', `"a"='`, '']],
  ['x-ms-lease-id', [LEASE, 'x', '']],
  ['x-ms-range', RANGES],
  ['range', RANGES],
  ['x-ms-range-get-content-md5', ['true', 'false', 'x']],
  ['x-ms-range-get-content-crc64', ['true', 'x']],
  ['content-md5', ['1B2M2Y8AsgTpgAmY7PhCfg==', 'x', '']],
  ['x-ms-content-crc64', ['AAAAAAAAAAA=', 'x']],
  ['x-ms-meta-a', ['b', '', 'é']],
  ['x-ms-meta-', ['b']],
  ['x-ms-meta-1', ['b']],
  ['x-ms-tags', ['a=b', 'a=b&a=c', 'a', '=', 'a=%', `${'x'.repeat(129)}=y`]],
  ['x-ms-access-tier', ['Hot', 'Cool', 'Archive', 'P10', 'x', '']],
  ['x-ms-blob-condition-appendpos', NUMBERS],
  ['x-ms-blob-condition-maxsize', NUMBERS],
  ['x-ms-if-sequence-number-le', NUMBERS],
  ['x-ms-if-sequence-number-eq', NUMBERS],
  ['x-ms-sequence-number-action', ['max', 'update', 'increment', 'x']],
  ['x-ms-blob-sequence-number', NUMBERS],
  ['x-ms-blob-content-length', NUMBERS],
  ['x-ms-blob-content-md5', ['1B2M2Y8AsgTpgAmY7PhCfg==', 'x']],
  ['x-ms-blob-content-type', ['text/plain', '']],
  ['x-ms-delete-snapshots', ['include', 'only', 'x']],
  ['x-ms-structured-body', ['XSM/1.0; properties=crc64', 'x']],
  ['x-ms-encryption-scope', ['x']],
  ['x-ms-blob-public-access', ['blob', 'container', 'x']],
];

function someHeaders(random: Random, own: Headers = {}): Headers {
  const headers: Headers = { ...own };
  for (let count = random.happens(0.4) ? random.between(1, 3) : 0; count > 0; count -= 1) {
    const [name, values] = random.pick(OPTIONAL);
    headers[name] = random.pick(values);
  }
  return headers;
}

const someBody = (random: Random): string =>
  'x'.repeat(random.pick([0, 1, 100, 512, 1024, 8192, 16_384, 16_385, 40_000]));

const whole = (random: Random, method: string, query = '', own: Headers = {}, body = ''): PlainRequest => ({
  method,
  path: path(random),
  query,
  headers: someHeaders(random, own),
  body,
});

const putBlob = (random: Random): PlainRequest => {
  const type = random.pick(TYPES);
  const length: Headers = type === 'PageBlob' ? { 'x-ms-blob-content-length': number(random) } : {};
  return whole(
    random,
    'PUT',
    '',
    { 'x-ms-blob-type': type, ...length },
    type === 'BlockBlob' ? someBody(random) : '',
  );
};

const SOURCES = [
  'http://127.0.0.1:10000/devstoreaccount1/fuzz/a',
  'http://127.0.0.1:10000/devstoreaccount1/fuzz/%',
  'http://elsewhere/x',
  'x',
  '',
];

const fromUrl = (random: Random): PlainRequest => {
  const own: Headers = { 'x-ms-copy-source': random.pick(SOURCES) };
  if (random.happens(0.4)) own['x-ms-source-range'] = random.pick(RANGES);
  if (random.happens(0.2)) own['x-ms-requires-sync'] = random.pick(['true', 'x']);
  if (random.happens(0.4)) own['x-ms-blob-type'] = random.pick(TYPES);
  if (random.happens(0.3)) own['x-ms-page-write'] = 'update';
  return whole(
    random,
    'PUT',
    random.pick(['', '', `comp=block&blockid=${someId(random)}`, 'comp=appendblock', 'comp=page']),
    own,
  );
};

function blockList(random: Random): string {
  const count = random.happens(0.02) ? 50_001 : random.below(6);
  const one = (): string => {
    const tag = random.pick([
      'Latest',
      'Latest',
      'Uncommitted',
      'Committed',
      seldom(random) ? 'X' : 'Latest',
    ]);
    return `<${tag}>${someId(random)}</${tag}>`;
  };
  return `<?xml version="1.0"?><BlockList>${Array.from({ length: count }, one).join('')}</BlockList>`;
}

const blocks = (random: Random): PlainRequest =>
  random.weighted<() => PlainRequest>([
    [
      5,
      () => whole(random, 'PUT', `comp=block&blockid=${percentEncode(someId(random))}`, {}, someBody(random)),
    ],
    [5, () => whole(random, 'PUT', 'comp=blocklist', {}, blockList(random))],
    [
      2,
      () =>
        whole(
          random,
          'GET',
          `comp=blocklist&blocklisttype=${random.pick(['all', 'committed', 'uncommitted', 'x', ''])}`,
        ),
    ],
  ])();

const parts = (random: Random): PlainRequest =>
  random.weighted<() => PlainRequest>([
    [4, () => whole(random, 'PUT', 'comp=appendblock', {}, someBody(random))],
    [1, () => whole(random, 'PUT', 'comp=seal')],
    [
      5,
      () =>
        whole(
          random,
          'PUT',
          'comp=page',
          {
            'x-ms-page-write': random.pick(['update', 'update', 'clear', 'x']),
            'x-ms-range': random.pick(RANGES),
          },
          someBody(random),
        ),
    ],
    [
      2,
      () =>
        whole(
          random,
          'GET',
          random.pick(['comp=pagelist', 'comp=pagelist&prevsnapshot=x', 'comp=pagelist&maxresults=1']),
        ),
    ],
  ])();

const TAGS = [
  '<Tags><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tags>',
  '<Tags><TagSet/></Tags>',
  '<Tags><TagSet><Tag><Key>a</Key></Tag></TagSet></Tags>',
  '<X/>',
  '',
];
const SNAPSHOTS = ['', '', '', '&snapshot=2020-01-01T00:00:00.0000000Z', '&snapshot=x', '&versionid=x'];

const settings = (random: Random): PlainRequest => {
  const lease = {
    'x-ms-lease-action': random.pick(['acquire', 'renew', 'change', 'release', 'break', 'x']),
    'x-ms-lease-duration': random.pick(['15', '-1', '60', '61', 'x']),
    'x-ms-proposed-lease-id': random.pick([LEASE, 'x']),
  };
  return random.weighted<() => PlainRequest>([
    [2, () => whole(random, 'PUT', 'comp=tags', {}, random.pick(TAGS))],
    [1, () => whole(random, 'GET', `comp=tags${random.pick(SNAPSHOTS)}`)],
    [
      2,
      () =>
        whole(
          random,
          'PUT',
          `comp=${random.pick(['metadata', 'properties', 'snapshot', 'undelete', 'copy&copyid=x', 'expiry', 'x'])}`,
        ),
    ],
    [2, () => whole(random, 'PUT', 'comp=lease', lease)],
    [
      1,
      () =>
        whole(random, 'PUT', `comp=tier${random.pick(SNAPSHOTS)}`, {
          'x-ms-access-tier': random.pick(['Hot', 'Archive', 'x']),
        }),
    ],
  ])();
};

const reads = (random: Random): PlainRequest =>
  whole(
    random,
    random.pick(['GET', 'GET', 'HEAD', 'DELETE']),
    random.pick(['', '', 'comp=metadata']) + random.pick(SNAPSHOTS),
  );

const WHERES = [`"a" = 'b'`, `@container = 'fuzz' AND "a" >= 'b'`, '', '(', `"a"`, `'`];

const lists = (random: Random): PlainRequest => {
  const some = (options: readonly string[]): string =>
    random
      .some(options, random.below(4))
      .map(each => `&${each}`)
      .join('');
  const options = [
    `prefix=${percentEncode(someBlob(random))}`,
    `delimiter=${random.pick(['/', '', 'ab', '%00'])}`,
    `maxresults=${number(random)}`,
    `marker=${random.pick(['x', '', 'MiEx'])}`,
    `include=${random.pick(['snapshots,metadata,tags', 'uncommittedblobs,copy', 'x', ''])}`,
  ];
  const base = { headers: someHeaders(random), body: '' };
  return random.weighted<() => PlainRequest>([
    [
      5,
      () => ({
        ...base,
        method: 'GET',
        path: someContainer(random),
        query: `restype=container&comp=list${some(options)}`,
      }),
    ],
    [1, () => ({ ...base, method: 'GET', path: '', query: `comp=list${some(options)}` })],
    [
      1,
      () => ({
        ...base,
        method: 'GET',
        path: random.pick(['', someContainer(random)]),
        query: `${random.happens(0.5) ? 'restype=container&' : ''}comp=blobs&where=${percentEncode(random.pick(WHERES))}`,
      }),
    ],
  ])();
};

const containers = (random: Random): PlainRequest => {
  const comp = random.pick(['', '', '&comp=metadata', '&comp=acl', '&comp=lease', '&comp=x']);
  const method = random.pick(['PUT', 'PUT', 'GET', 'HEAD', seldom(random) ? 'DELETE' : 'PUT']);
  const body = comp === '&comp=acl' && method === 'PUT' ? someIdentifiers(random) : '';
  return {
    method,
    path: someContainer(random),
    query: `restype=container${comp}`,
    headers: someHeaders(random),
    body,
  };
};

const service = (random: Random): PlainRequest => {
  const query = `restype=${random.pick(['service', 'account'])}&comp=${random.pick(['properties', 'stats', 'userdelegationkey', 'x'])}`;
  const method = random.pick(['GET', 'PUT', 'POST', 'HEAD']);
  return {
    method,
    path: '',
    query,
    headers: someHeaders(random),
    body: method === 'PUT' ? someServiceProperties(random) : '',
  };
};

/** Parts are signed like the batch, by `sas` in their URLs. */
function batch(random: Random, sas: string): PlainRequest {
  const boundary = random.pick(['batch_1', 'x y', 'b']);
  const part = (_: unknown, at: number): string => {
    const { method, query, headers } = random.happens(0.8) ? whole(random, 'DELETE') : settings(random);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const target = `/devstoreaccount1/${path(random)}?${query === '' ? '' : `${query}&`}${sas}`;
    const head = `Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\nContent-ID: ${at}\r\n`;
    return `--${boundary}\r\n${head}\r\n${method} ${target} HTTP/1.1\r\n${lines.join('')}Content-Length: 0\r\n\r\n\r\n`;
  };
  const all = Array.from({ length: random.happens(0.03) ? 257 : random.below(5) }, part);
  const isOfContainer = random.happens(0.5);
  return {
    method: 'POST',
    path: isOfContainer ? someContainer(random) : '',
    query: isOfContainer ? 'restype=container&comp=batch' : 'comp=batch',
    headers: { 'content-type': `multipart/mixed; boundary=${boundary}` },
    body: `${all.join('')}--${boundary}--\r\n`,
  };
}

const OPERATIONS: readonly (readonly [number, (random: Random, sas: string) => PlainRequest])[] = [
  [12, putBlob],
  [4, fromUrl],
  [12, blocks],
  [12, parts],
  [8, settings],
  [16, reads],
  [10, lists],
  [5, containers],
  [2, service],
  [5, batch],
];

export const someBlobOperation = (random: Random, sas: string): PlainRequest =>
  random.weighted(OPERATIONS)(random, sas);
