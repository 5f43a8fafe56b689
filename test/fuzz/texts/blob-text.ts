// Requests to the Blob service by a grammar of its operations: names, ranges, conditions, lists of blocks, tags,
// batches; mostly valid ones, with invalid values among them. some-blob-request.ts signs them.
import fc from 'fast-check';
import { chance, from, maybe, oneOf, seldom, several, text } from '../../random/arbitrary.js';
import { type PlainRequest, request } from './operation-text.js';
import { percentEncode } from './percent-encode.js';
import { identifiers, serviceProperties } from './xml-text.js';

/** These exist when a run begins. */
export const CONTAINERS = ['fuzz', 'fuzz-2'] as const;
const OTHER_CONTAINERS = [
  ...['missing', 'ab', 'UPPER', 'a--b', '$root', '$web', '$logs', 'x'.repeat(63), 'x'.repeat(64), '..'],
];
const BLOBS = ['a', 'a', 'a', 'dir/b', 'dir/sub/c', 'é', 'log', 'pages', 'pages'];
const ODD_BLOBS = [
  ...['a b', 'dot.', 'slash/', '/a', 'a//b', '..', 'a/../b', '\u{1f600}', '%', '\u0001', 'a/'.repeat(255)],
  ...['x'.repeat(1024), 'x'.repeat(1025)],
];
const ODD_IDS = ['', 'A', 'AAAAA', '====', 'é', 'QUJD'.repeat(16), 'QUJD'.repeat(40)];
const LEASE = '11111111-2222-4333-8444-555555555555';
const TYPE = from(['BlockBlob', 'BlockBlob', 'AppendBlob', 'PageBlob', 'blockblob', 'X', '']);
const ETAG = from(['*', '"0x8D"', '"x"', 'W/"x"', '', '"a", "b"']);
const TIME = from(['Wed, 01 Jan 2020 00:00:00 GMT', 'Fri, 01 Jan 2100 00:00:00 GMT', 'x', '']);
const NUMBER = from([
  ...['0', '1', '512', '1024', '8192', '4194304', '-1', 'x', '1e3', ''],
  ...['9223372036854775807', '9223372036854775808'],
]);
const RANGE = from([
  ...['bytes=0-511', 'bytes=512-1023', 'bytes=0-4194303', 'bytes=5-', 'bytes=-5', 'bytes=9-3', 'bytes=0-0'],
  ...['bytes=0-1,3-4', 'x', 'bytes=99999999999-', 'bytes=0-18446744073709551615'],
]);
const MD5 = from(['1B2M2Y8AsgTpgAmY7PhCfg==', 'x', '']);
const ODD_PERCENT = 8;

const container = seldom<string>(ODD_PERCENT, from(OTHER_CONTAINERS), from(CONTAINERS));
const blob = seldom(ODD_PERCENT, from(ODD_BLOBS), from(BLOBS));
const blockId = seldom(ODD_PERCENT, from(ODD_IDS), from(['AAAA', 'BBBB', 'CCCC']));
const encoded = (plain: fc.Arbitrary<string>): fc.Arbitrary<string> => plain.map(percentEncode);
const name = encoded(blob);
const path = text`${container}/${seldom(
  20,
  name,
  name.map(each => each.replaceAll('%2F', '/')),
)}`;

const OPTIONAL: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'if-match': ETAG,
  'if-none-match': ETAG,
  'if-modified-since': TIME,
  'if-unmodified-since': TIME,
  'x-ms-if-tags': from([`"a" = 'b'`, `a > 'b' and c <> 'd'`, '(', `"a"='`, '']),
  'x-ms-lease-id': from([LEASE, 'x', '']),
  'x-ms-range': RANGE,
  range: RANGE,
  'x-ms-range-get-content-md5': from(['true', 'false', 'x']),
  'x-ms-range-get-content-crc64': from(['true', 'x']),
  'content-md5': MD5,
  'x-ms-content-crc64': from(['AAAAAAAAAAA=', 'x']),
  'x-ms-meta-a': from(['b', '', 'é']),
  'x-ms-meta-': from(['b']),
  'x-ms-meta-1': from(['b']),
  'x-ms-tags': from(['a=b', 'a=b&a=c', 'a', '=', 'a=%', `${'x'.repeat(129)}=y`]),
  'x-ms-access-tier': from(['Hot', 'Cool', 'Archive', 'P10', 'x', '']),
  'x-ms-blob-condition-appendpos': NUMBER,
  'x-ms-blob-condition-maxsize': NUMBER,
  'x-ms-if-sequence-number-le': NUMBER,
  'x-ms-if-sequence-number-eq': NUMBER,
  'x-ms-sequence-number-action': from(['max', 'update', 'increment', 'x']),
  'x-ms-blob-sequence-number': NUMBER,
  'x-ms-blob-content-length': NUMBER,
  'x-ms-blob-content-md5': MD5,
  'x-ms-blob-content-type': from(['text/plain', '']),
  'x-ms-delete-snapshots': from(['include', 'only', 'x']),
  'x-ms-structured-body': from(['XSM/1.0; properties=crc64', 'x']),
  'x-ms-encryption-scope': from(['x']),
  'x-ms-blob-public-access': from(['blob', 'container', 'x']),
};
const header = oneOf(
  ...Object.entries(OPTIONAL).map(([name, value]) => [1, value.map(each => [name, each] as const)] as const),
);
const more = seldom(40, several(header, 1, 3), fc.constant<(readonly [string, string])[]>([])).map(headers =>
  Object.fromEntries(headers),
);

const body = from([0, 1, 100, 512, 1024, 8192, 16_384, 16_385, 40_000].map(length => 'x'.repeat(length)));

/** On a blob. */
const onBlob = (parts: Omit<Parameters<typeof request>[0], 'path' | 'more'>): fc.Arbitrary<PlainRequest> =>
  request({ path, more, ...parts });
const put = (query: string | fc.Arbitrary<string>, parts: Partial<Parameters<typeof onBlob>[0]> = {}) =>
  onBlob({ method: 'PUT', query, ...parts });

const putBlob = oneOf(
  [2, put('', { headers: { 'x-ms-blob-type': 'BlockBlob' }, body })],
  [1, put('', { headers: { 'x-ms-blob-type': 'PageBlob', 'x-ms-blob-content-length': NUMBER } })],
  [4, put('', { headers: { 'x-ms-blob-type': TYPE } })],
);

const HERE = 'http://127.0.0.1:10000/devstoreaccount1/fuzz';
const fromUrl = put(
  oneOf<string>(
    [2, fc.constant('')],
    [1, text`comp=block&blockid=${blockId}`],
    [2, from(['comp=appendblock', 'comp=page'])],
  ),
  {
    headers: {
      'x-ms-copy-source': from([`${HERE}/a`, `${HERE}/%`, 'http://elsewhere/x', 'x', '']),
      'x-ms-source-range': maybe(40, RANGE),
      'x-ms-requires-sync': maybe(20, from(['true', 'x'])),
      'x-ms-blob-type': maybe(40, TYPE),
      'x-ms-page-write': maybe(30, fc.constant('update')),
    },
  },
);

const listed = fc
  .tuple(
    seldom(2, fc.constant('X'), from(['Latest', 'Latest', 'Latest', 'Uncommitted', 'Committed'])),
    blockId,
  )
  .map(([tag, id]) => `<${tag}>${id}</${tag}>`);
const listText = (blocks: fc.Arbitrary<readonly string[]>): fc.Arbitrary<string> =>
  text`<?xml version="1.0"?><BlockList>${blocks.map(all => all.join(''))}</BlockList>`;
const BLOCKS_MAX = 50_000;
const blockList = seldom(
  2,
  listText(listed.map(one => Array.from({ length: BLOCKS_MAX + 1 }, () => one))),
  listText(several(listed, 0, 5)),
);

const blocks = oneOf(
  [5, put(text`comp=block&blockid=${encoded(blockId)}`, { body })],
  [5, put('comp=blocklist', { body: blockList })],
  [
    2,
    onBlob({
      method: 'GET',
      query: text`comp=blocklist&blocklisttype=${from(['all', 'committed', 'uncommitted', 'x', ''])}`,
    }),
  ],
);

const pageHeaders = {
  'x-ms-page-write': from(['update', 'update', 'clear', 'x']),
  'x-ms-range': RANGE,
};
const parts = oneOf(
  [4, put('comp=appendblock', { body })],
  [1, put('comp=seal')],
  [5, put('comp=page', { headers: pageHeaders, body })],
  [
    2,
    onBlob({
      method: 'GET',
      query: from(['comp=pagelist', 'comp=pagelist&prevsnapshot=x', 'comp=pagelist&maxresults=1']),
    }),
  ],
);

const SNAPSHOT = from([
  ...['', '', '', '&snapshot=2020-01-01T00:00:00.0000000Z', '&snapshot=x', '&versionid=x'],
]);
const tags = from([
  '<Tags><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tags>',
  '<Tags><TagSet/></Tags>',
  '<Tags><TagSet><Tag><Key>a</Key></Tag></TagSet></Tags>',
  '<X/>',
  '',
]);
const lease = {
  'x-ms-lease-action': from(['acquire', 'renew', 'change', 'release', 'break', 'x']),
  'x-ms-lease-duration': from(['15', '-1', '60', '61', 'x']),
  'x-ms-proposed-lease-id': from([LEASE, 'x']),
};
const comps = ['metadata', 'properties', 'snapshot', 'undelete', 'copy&copyid=x', 'expiry', 'x'];
const settings = oneOf(
  [2, put('comp=tags', { body: tags })],
  [1, onBlob({ method: 'GET', query: text`comp=tags${SNAPSHOT}` })],
  [2, put(text`comp=${from(comps)}`)],
  [2, put('comp=lease', { headers: lease })],
  [1, put(text`comp=tier${SNAPSHOT}`, { headers: { 'x-ms-access-tier': from(['Hot', 'Archive', 'x']) } })],
);

const reads = onBlob({
  method: from(['GET', 'GET', 'HEAD', 'DELETE']),
  query: text`${from(['', '', 'comp=metadata'])}${SNAPSHOT}`,
});

const nothing = fc.constant('');
const listOptions = fc
  .tuple(
    ...[
      text`&prefix=${name}`,
      text`&delimiter=${from(['/', '', 'ab', '%00'])}`,
      text`&maxresults=${NUMBER}`,
      text`&marker=${from(['x', '', 'MiEx'])}`,
      text`&include=${from(['snapshots,metadata,tags', 'uncommittedblobs,copy', 'x', ''])}`,
    ].map(option => seldom(30, option, nothing)),
  )
  .map(options => options.join(''));
const WHERE = encoded(from([`"a" = 'b'`, `@container = 'fuzz' AND "a" >= 'b'`, '', '(', `"a"`, `'`]));
const lists = oneOf(
  [
    5,
    request({ method: 'GET', path: container, query: text`restype=container&comp=list${listOptions}`, more }),
  ],
  [1, request({ method: 'GET', query: text`comp=list${listOptions}`, more })],
  [
    1,
    request({
      method: 'GET',
      path: seldom(50, nothing, container),
      query: text`${from(['restype=container&', ''])}comp=blobs&where=${WHERE}`,
      more,
    }),
  ],
);

const CONTAINER = { path: container, more };
const containers = oneOf(
  [
    20,
    request({
      ...CONTAINER,
      method: from(['PUT', 'PUT', 'PUT', 'GET', 'HEAD']),
      query: text`restype=container${from(['', '', '&comp=metadata', '&comp=lease', '&comp=x'])}`,
    }),
  ],
  [3, request({ ...CONTAINER, method: 'PUT', query: 'restype=container&comp=acl', body: identifiers })],
  [1, request({ ...CONTAINER, method: 'GET', query: 'restype=container&comp=acl' })],
  [1, request({ ...CONTAINER, method: 'DELETE', query: 'restype=container' })],
);

const SERVICE = {
  query: text`restype=${from(['service', 'account'])}&comp=${from(['properties', 'stats', 'userdelegationkey', 'x'])}`,
  more,
};
const service = oneOf(
  [3, request({ ...SERVICE, method: from(['GET', 'POST', 'HEAD']) })],
  [1, request({ ...SERVICE, method: 'PUT', body: serviceProperties })],
);

/** Parts are signed like the batch, by `sas` in their URLs. */
function partText({ method, path, query, headers }: PlainRequest, at: number, sas: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const target = `/devstoreaccount1/${path}?${query === '' ? '' : `${query}&`}${sas}`;
  const head = `Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\nContent-ID: ${at}\r\n`;
  return `${head}\r\n${method} ${target} HTTP/1.1\r\n${lines.join('')}Content-Length: 0\r\n\r\n\r\n`;
}

const PARTS_MAX = 256;
const part = seldom(20, settings, onBlob({ method: 'DELETE' }));
const batchParts = seldom(3, several(part, PARTS_MAX + 1, PARTS_MAX + 1), several(part, 0, 4));
const batch = fc.tuple(from(['batch_1', 'x y', 'b']), batchParts, chance(50), container).map(
  ([boundary, all, isOfContainer, path]): BlobOperation =>
    sas => ({
      method: 'POST',
      path: isOfContainer ? path : '',
      query: isOfContainer ? 'restype=container&comp=batch' : 'comp=batch',
      headers: { 'content-type': `multipart/mixed; boundary=${boundary}` },
      body: `${all.map((each, at) => `--${boundary}\r\n${partText(each, at, sas)}`).join('')}--${boundary}--\r\n`,
    }),
);

/** Takes the token with which parts of a batch are signed. */
type BlobOperation = (sas: string) => PlainRequest;

const single = oneOf(
  [12, putBlob],
  [4, fromUrl],
  [12, blocks],
  [12, parts],
  [8, settings],
  [16, reads],
  [10, lists],
  [5, containers],
  [2, service],
);
export const blobOperation: fc.Arbitrary<BlobOperation> = seldom(
  6,
  batch,
  single.map(sent => () => sent),
);
