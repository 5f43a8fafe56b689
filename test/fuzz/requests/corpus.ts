// Requests to each service, as texts with choices (phrase.ts): one for each operation and form. request.ts mixes,
// damages and signs them.

/** `METHOD path?query`, below the account; body; headers. */
export type Seed = readonly [line: string, body?: string, headers?: Readonly<Record<string, string>>];

export interface Corpus {
  readonly service: 'table' | 'queue' | 'blob';
  readonly host: string;
  readonly version: string;
  readonly methods: string;
  /** Of every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Which any request may have. */
  readonly more: Readonly<Record<string, string>>;
  readonly seeds: readonly Seed[];
}

const MORE = {
  'if-match': '«@etag»',
  'if-none-match': '«@etag»',
  'x-ms-version': '«2012-02-12|2015-02-21|2019-02-02|2020-12-06|2026-10-06|x|»',
  'x-ms-client-request-id': '«a|é|»',
  'content-md5': '«1B2M2Y8AsgTpgAmY7PhCfg==|x|»',
  date: '«@time»',
  host: '«devstoreaccount1.table.localhost|localhost|other.example|[::1]:10002|»',
  origin: '«http://a|null|é»',
  ['__proto__']: 'x',
  constructor: 'x',
};

const PREFLIGHT = {
  origin: '«http://a|http://b|null|é»',
  'access-control-request-method': '«GET|MERGE|X»',
  'access-control-request-headers': '«x-ms-date|accept, x|,,|__proto__|»',
};

/** Of any service: its properties, its statistics, and a stored policy at a path. */
const common = (path: string, acl: string): readonly Seed[] => [
  ['GET ?restype=service&comp=properties'],
  ['PUT ?restype=service&comp=properties', '«@properties»'],
  ['GET «/|»?restype=service&comp=stats'],
  [`«GET|GET|HEAD» ${path}?${acl}comp=acl`],
  [`PUT ${path}?${acl}comp=acl`, '«@identifiers»'],
  [`OPTIONS ${path}`, '', PREFLIGHT],
];

/** A part of a changeset, or of a batch of blobs. */
const part = (line: string, head: readonly string[] = [], body = ''): string =>
  [
    ...['Content-Type: application/http', 'Content-Transfer-Encoding: binary', '', `${line} HTTP/1.1`],
    ...[...head, '', body, ''],
  ].join('\r\n');
const jsonPart = (line: string, body = '', number = 0): string =>
  part(line, [`Content-ID: ${number}`, 'Accept: application/json', 'Content-Type: application/json'], body);
const delimited = (boundary: string, parts: readonly string[]): string =>
  `${parts.map(each => `--${boundary}\r\n${each}`).join('')}--${boundary}--\r\n`;

const AT = '«http://127.0.0.1:10002||https://elsewhere»/devstoreaccount1/';
const changes = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) =>
    jsonPart(`«PUT|MERGE|PATCH» ${AT}People(PartitionKey='p',RowKey='${at}')`, '{"n":1}', at),
  );
const OTHERS = [
  jsonPart(`POST ${AT}«@table»`, `{"PartitionKey":"p","RowKey":"«@row»",«@members»}`),
  jsonPart(`«PUT|MERGE|DELETE|GET» ${AT}«@entity»`, '{«@members»}'),
];
const batch = (parts: readonly string[]): Seed => [
  'POST $batch',
  delimited('b', [`Content-Type: multipart/mixed; boundary="c"\r\n\r\n${delimited('c', parts)}`]),
  { 'content-type': 'multipart/mixed; boundary=«b|"b"|x»' },
];

const TABLE: Corpus = {
  service: 'table',
  host: '127.0.0.1:10002',
  version: '2019-02-02',
  methods: 'GET|POST|PUT|MERGE|PATCH|DELETE|OPTIONS|HEAD|TRACE',
  headers: { accept: '«@accept»', 'content-type': '«@json»' },
  more: {
    ...MORE,
    prefer: '«return-content|return-no-content|x»',
    'x-http-method': '«MERGE|GET|DELETE|x»',
    dataserviceversion: '«3.0|1.0|x»',
  },
  seeds: [
    ['POST «@table»', '{"PartitionKey":"«@partition»","RowKey":"«@row»",«@members»}'],
    ['POST People', '{"PartitionKey":"p","RowKey":"«@row»",«@members»}', { prefer: 'return-«no-|»content' }],
    ['POST People', '{"PartitionKey":"p","RowKey":"r",«@large»}'],
    ['POST People', '\ufeff {\r\n"PartitionKey":"p",\t"RowKey":"1"} '],
    ['«PUT|MERGE|PATCH|POST» «@entity»', '{«@members»}', { 'if-match': '«@etag»' }],
    ['«PUT|MERGE|PATCH» «@entity»', '{"PartitionKey":"«@partition»","RowKey":"«@row»",«@members»}'],
    ['POST «@entity»', '{«@members»}', { 'x-http-method': '«MERGE|PUT|DELETE|GET|x»' }],
    ['DELETE «@entity»', '', { 'if-match': '«@etag»' }],
    ['GET «@entity»?«@option»'],
    ["GET People(RowKey='«@row»',%20PartitionKey=%27«@partition»%27)"],
    ['GET «@table»«|()»?«@option»'],
    ['GET «@table»()?«@option»&«@option»'],
    ['GET People()?$filter=«@filter»&$select=«n|when,flag»&«@option»'],
    ['GET Tables«|()»?«@option»'],
    ["«GET|DELETE» Tables('«@table»')"],
    ['POST Tables', '{"TableName":"«@table»"}'],
    ...common('«People|orders|missing»', ''),
    batch(changes(3)),
    batch(changes(101)),
    batch([...changes(2), ...OTHERS]),
    batch(OTHERS),
    [
      'POST $batch',
      delimited('b', [jsonPart(`GET ${AT}«@entity»`)]),
      { 'content-type': 'multipart/mixed; boundary=b' },
    ],
  ],
};

const PUT_BLOB = { 'x-ms-blob-type': '«BlockBlob|BlockBlob|AppendBlob|PageBlob|blockblob||X»' };
const FROM = { 'x-ms-copy-source': '«@source»', 'x-ms-source-range': '«@range»' };
const B = '«@container»/«@blob»';
const KNOWN = '«fuzz|fuzz-2»';

const blobBatch = (at: string, count: number): Seed => [
  `POST ${at}comp=batch`,
  delimited(
    'b',
    Array.from({ length: count }, (_, number) =>
      part(`«DELETE|PUT» /devstoreaccount1/${B}?«|comp=tier&|comp=x&»«@sas»`, [
        `Content-ID: ${number}`,
        'Content-Length: 0',
      ]),
    ),
  ),
  { 'content-type': 'multipart/mixed; boundary=b' },
];

const BLOB: Corpus = {
  service: 'blob',
  host: '127.0.0.1:10000',
  version: '«2019-12-12|2021-12-02|2024-11-04|2025-05-05|2015-02-21»',
  methods: 'GET|PUT|POST|DELETE|HEAD|OPTIONS|PATCH',
  headers: {},
  more: {
    ...MORE,
    'if-modified-since': '«@time»',
    'if-unmodified-since': '«@time»',
    'x-ms-if-tags': `«"a" = 'b'|a > 'b' and c <> 'd'|(|"a"='|»`,
    'x-ms-lease-id': '«@lease»',
    'x-ms-range': '«@range»',
    range: '«@range»',
    'x-ms-range-get-content-md5': '«true|false|x»',
    'x-ms-range-get-content-crc64': '«true|x»',
    'x-ms-content-crc64': '«AAAAAAAAAAA=|x»',
    'x-ms-meta-a': '«b||é»',
    'x-ms-meta-«|1»': 'b',
    'x-ms-tags': `«a=b|a=b&a=c|a|=|a=%|${'x'.repeat(129)}=y»`,
    'x-ms-access-tier': '«Hot|Cool|Archive|P10|x|»',
    'x-ms-blob-condition-appendpos': '«@number»',
    'x-ms-blob-condition-maxsize': '«@number»',
    'x-ms-if-sequence-number-«le|eq»': '«@number»',
    'x-ms-blob-sequence-number': '«@number»',
    'x-ms-blob-content-length': '«@number»',
    'x-ms-blob-content-type': '«text/plain|»',
    'x-ms-delete-snapshots': '«include|only|x»',
    'x-ms-structured-body': '«XSM/1.0; properties=crc64|x»',
    'x-ms-blob-public-access': '«blob|container|x»',
    'x-ms-encryption-scope': 'x',
  },
  seeds: [
    [`PUT ${B}`, '«@bytes»', { 'x-ms-blob-type': 'BlockBlob' }],
    [`PUT ${B}`, '', PUT_BLOB],
    [`PUT ${KNOWN}/pages`, '', { 'x-ms-blob-type': 'PageBlob', 'x-ms-blob-content-length': '«@number»' }],
    [`PUT ${KNOWN}/log`, '', { 'x-ms-blob-type': 'AppendBlob' }],
    [`PUT ${B}`, '', { ...PUT_BLOB, ...FROM, 'x-ms-requires-sync': '«true|x»' }],
    [`PUT ${B}`, '', { 'x-ms-copy-source': '«@source»' }],
    [`PUT ${B}?comp=block&blockid=«@block»`, '«@bytes»'],
    [`PUT ${KNOWN}/a?comp=block&blockid=«@block»`, '«@bytes»'],
    [`PUT ${B}?comp=block&blockid=«@block»`, '', FROM],
    [`PUT ${B}?comp=blocklist`, '<?xml version="1.0"?><BlockList>«@blocks»</BlockList>'],
    [`PUT ${KNOWN}/a?comp=blocklist`, '<BlockList>«@listed»«@listed»</BlockList>'],
    [`GET ${B}?comp=blocklist&blocklisttype=«all|committed|uncommitted|x|»`],
    [`PUT «@container»/«log|a|@»?comp=appendblock`, '«@bytes»'],
    [
      `PUT ${B}?comp=«appendblock|page»`,
      '',
      { ...FROM, 'x-ms-page-write': 'update', 'x-ms-range': '«@range»' },
    ],
    [`PUT ${KNOWN}/log?comp=seal`],
    [
      `PUT ${KNOWN}/«pages|pages|a»?comp=page`,
      '«@bytes»',
      { 'x-ms-page-write': '«update|update|clear|x»', 'x-ms-range': '«@range»' },
    ],
    [`GET ${KNOWN}/pages?comp=pagelist«|&prevsnapshot=x|&maxresults=1»`],
    [`PUT ${B}?comp=tags`, '«@tags»'],
    [`GET ${B}?comp=tags«@version»`],
    [`PUT ${B}?comp=«metadata|properties|snapshot|undelete|copy&copyid=x|expiry|x»`],
    [
      `PUT «@container»«/a||/pages»?comp=lease`,
      '',
      {
        'x-ms-lease-action': '«acquire|renew|change|release|break|x»',
        'x-ms-lease-duration': '«15|-1|60|61|x»',
        'x-ms-proposed-lease-id': '«@lease»',
      },
    ],
    [`PUT ${B}?comp=tier«@version»`, '', { 'x-ms-access-tier': '«Hot|Archive|x»' }],
    [`«GET|HEAD|DELETE» ${B}?«|comp=metadata»«@version»`],
    [`«GET|GET|HEAD» ${KNOWN}/«a|pages|log»`, '', { 'x-ms-range': '«@range»' }],
    ['GET «@container»?restype=container&comp=list«@listing»«@listing»'],
    ['GET ?comp=list«@listing»'],
    [
      `GET «fuzz|missing|»?«restype=container&|»comp=blobs&where=«"a"%20=%20'b'|@container%20=%20'fuzz'||(|'»`,
    ],
    ['«PUT|PUT|GET|HEAD» «@container»?restype=container«||&comp=metadata|&comp=lease|&comp=x»'],
    ['DELETE «fuzz-2|missing|x»?restype=container'],
    [
      '«GET|POST|HEAD|PUT» ?restype=«service|account»&comp=«properties|stats|userdelegationkey|x»',
      '«|<KeyInfo><Start>2020-01-01</Start><Expiry>2020-01-02</Expiry></KeyInfo>»',
    ],
    ...common('«fuzz|fuzz-2|missing»', 'restype=container&'),
    blobBatch('?', 3),
    blobBatch(`${KNOWN}?restype=container&`, 2),
    blobBatch('?', 257),
  ],
};

const TEXT = '<QueueMessage><MessageText>«a|é|&lt;|<![CDATA[x]]>|»</MessageText></QueueMessage>';

const QUEUE: Corpus = {
  service: 'queue',
  host: '127.0.0.1:10001',
  version: '«2019-02-02|2020-12-06|2012-02-12»',
  methods: 'GET|PUT|POST|DELETE|HEAD|OPTIONS|MERGE',
  headers: {},
  more: { ...MORE, 'x-ms-meta-a': '«b||é»', 'x-ms-meta-«|1»': 'b' },
  seeds: [
    ['«PUT|DELETE» «@queue»', '', { 'x-ms-meta-a': '«b|c»' }],
    ['«GET|HEAD|PUT» «@queue»?comp=«metadata|METADATA|x»'],
    ['GET ?comp=list&prefix=«|jobs|x»&maxresults=«@seconds»&include=«|metadata|x»&marker=«|x»'],
    ['POST «@queue»/messages?visibilitytimeout=«@seconds»&messagettl=«@seconds»', TEXT],
    ['POST «@queue»/messages', TEXT],
    ['POST jobs/messages', '«<QueueMessage/>|<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>|»'],
    ['GET «@queue»/messages?numofmessages=«1|32|33|0|»&visibilitytimeout=«@seconds»'],
    ['GET «@queue»/messages?peekonly=«true|True|false|»&numofmessages=«@seconds»'],
    ['DELETE «@queue»/messages'],
    ['«DELETE|PUT» «@queue»/messages/«@message»?popreceipt=«AgAAAAMAAAAAAAAAtB30WQUG1QE%3D|AgAA|x|»', TEXT],
    ['PUT jobs/messages/«@message»?visibilitytimeout=«@seconds»&popreceipt=AgAA', TEXT],
    ...common('«jobs|more-jobs|missing»', ''),
  ],
};

export const CORPORA: readonly Corpus[] = [TABLE, BLOB, QUEUE];
