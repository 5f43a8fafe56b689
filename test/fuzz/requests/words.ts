// The words of requests, mostly valid, as texts with choices (phrase.ts). Frequent ones are there several times, so that
// requests find what others made.
import { accountSas } from '../../simulation/run/signing.js';
import { ODD_NAMES, ODD_TABLE_NAMES } from './odd-texts.js';

const several = (count: number, ...texts: readonly string[]): readonly string[] =>
  Array.from({ length: count }, () => texts).flat();

/** These exist when a run begins. */
export const TABLES = ['People', 'orders', ...ODD_TABLE_NAMES];
export const CONTAINERS = ['fuzz', 'fuzz-2'] as const;
export const QUEUES = ['jobs', 'more-jobs'] as const;

const NAMES = [...several(5, 'n', 'text', 'flag'), 'when', 'Größe', '_x', '𠮷', ...ODD_NAMES];
const LEASE = '11111111-2222-4333-8444-555555555555';
const HERE = 'http://127.0.0.1:10000/devstoreaccount1/fuzz';
const ENTITY_BYTES_MAX = 1_048_576;
const BLOCKS_MAX = 50_000;

export const WORDS = {
  table: [...several(12, 'People'), ...TABLES, 'missing', 'pEOPLE', '1a', 'Tables', 'x'.repeat(64)],
  partition: [...several(20, 'p'), '', 'q', 'é', "o''hara", ...ODD_NAMES, 'p'.repeat(1_025)],
  row: [...several(20, 'r', '1'), '', '10', 'a b', '😀', '%25', ...ODD_NAMES, '/', '\u007f'],
  entity: ["«@table»(PartitionKey='«@partition»',RowKey='«@row»')"],
  property: [...NAMES, 'odata.etag', '1a', 'x'.repeat(256)],
  /** A member with its annotation. */
  member: [
    ...several(
      3,
      '"«@property»":«1|0|-1|3.0|1.5e300|-0.0|true|false|null|""|"a"|"é"|"\\u00e9\\n"|"\\ud83d\\ude00"»',
    ),
    '"«@property»@odata.type":"Edm.Int64","i":1,"«@property»":«"5"|"-9223372036854775808"|"9223372036854775808"»',
    '"n":«1|2|3»,"text":«""|"p"|"r"|"o\'hara"»,"flag":«true|false»',
    '"n":«1|2|3»,"when@odata.type":"Edm.DateTime","when":"«2020-01-01T00:00:00Z|1601-01-01|1600-01-01|2020-02-30»"',
    '"g":"«c9da6455-213d-42c9-9a79-3e9149a57833|x»","g@odata.type":"Edm.Guid","b@odata.type":"Edm.Binary","b":"«AQID||x»"',
    '"d@odata.type":"Edm.Double","d":«1.5|"NaN"|"-INF"|"1e400"»,"t@odata.type":"Edm.Boolean","t":«true|"x"»',
    '"«@property»@odata.type":"Edm.«Int32|String|Decimal|x»","«@property»":«5|"5"|"a"|true|[]|{"a":[{}]}»',
  ],
  members: ['"n":1', '«@member»', '«@member»,«@member»', '"Timestamp":"2020-01-01T00:00:00Z",«@member»'],
  /** Around the limits of an entity. */
  large: [
    ...Array.from({ length: 4 }, (_, more) =>
      Array.from({ length: 251 + more }, (_, at) => `"x${at}":1`).join(),
    ),
    Array.from({ length: 17 }, (_, at) => `"x${at}":"${'x'.repeat(ENTITY_BYTES_MAX / 32)}"`).join(),
  ],
  literal: [
    `«'p'|'r'|''|'o''hara'|'é'|1|0|-1|5L|2147483648|1.5|1e300|1.5d|5f|5m|true|false|NaN|INF»`,
    `«guid'c9da6455-213d-42c9-9a79-3e9149a57833'|X'0102'|binary'ff'|datetime'2020-01-01T00:00:00Z'»`,
    `«null|X'1'|datetime'x'|1.|'|"x"|9223372036854775808»`,
  ],
  field: [...several(3, 'PartitionKey', 'RowKey'), 'Timestamp', 'missing', ...NAMES],
  comparison: [...several(4, '«@field» «eq|ne|gt|ge|lt|le» «@literal»'), '«@literal» «eq|lt» «@field»'],
  pair: [
    '(«@comparison») «and|or» («@comparison»)',
    '«@comparison» and «@comparison» or «@comparison»',
    'flag',
  ],
  filter: ['«@comparison»', '«@pair»', 'not («@pair»)', '(«@pair») «and|or» («@pair»)'],
  token: ['1!4!cA--', '1!4!cg--', '1!0!', '1!5!cGs-', '2!4!cGs-', '1!4!!!!!', '1!-1!', 'p'],
  option: [
    ...several(2, '$filter=«@filter»', '$top=«1|2|1000|0|1001|-1|x|»'),
    '$select=«*|n,text|PartitionKey,RowKey,missing||,|n,n, text ,__proto__»',
    `$select=${'a,'.repeat(255)}a`,
    '$format=«json|application/json;odata=fullmetadata|application/json;odata=nometadata|atom|»',
    'Next«Partition|Row|Table|Partition»«Key|Name|Key»=«@token»',
    '«timeout=30|comp=acl|restype=service|$orderby=n desc|$x=|__proto__=1|constructor=x|sv=2013-08-14|api-version=x»',
  ],
  etag: [...several(3, '*'), `W/"datetime'2020-01-01T00%3A00%3A00Z'"`, '"0x8D"', '"x"', '', '"a", "b"'],
  accept: [
    ...several(8, 'application/json;odata=«nometadata|minimalmetadata|fullmetadata»'),
    '«*/*|application/atom+xml|text/html, application/json;q=0.9|x|»',
  ],
  json: [...several(12, 'application/json'), 'application/json; charset=utf-8', 'text/plain'],
  /** XML of all services. */
  policy: [
    ...several(
      3,
      '<Permission>«r|raud»</Permission>',
      '<Start>2020-01-01</Start><Expiry>9999-12-31</Expiry>',
    ),
    '<Permission>«ar||x»</Permission>',
    '<Start>«|x»</Start><Expiry>2020-01-01T00:00:00.0000000Z</Expiry>',
  ],
  identifier: [
    `<SignedIdentifier><Id>«one|é&lt;|é&amp;<![CDATA[<]]>||${'x'.repeat(65)}|__proto__»</Id><AccessPolicy>«@policy»</AccessPolicy></SignedIdentifier>`,
  ],
  identifiers: [
    ...several(3, '<SignedIdentifiers>«@identifier»</SignedIdentifiers>'),
    '<?xml version="1.0"?><SignedIdentifiers>«@identifier»«@identifier»</SignedIdentifiers>',
    `<SignedIdentifiers>${'«@identifier»'.repeat(6)}</SignedIdentifiers>`,
    '<SignedIdentifiers/>',
  ],
  rule: [
    '<CorsRule><AllowedOrigins>«*|http://a|http://a,http://b||é|x»</AllowedOrigins><AllowedMethods>«GET|GET,PUT,MERGE|X|»</AllowedMethods><AllowedHeaders>«*|x-ms-*,accept||__proto__|a\nb»</AllowedHeaders><ExposedHeaders>«*|»</ExposedHeaders><MaxAgeInSeconds>«5|0|2147483648|-1|x»</MaxAgeInSeconds></CorsRule>',
  ],
  metrics: [
    '<Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>«true|»</IncludeAPIs><RetentionPolicy><Enabled>true</Enabled><Days>«7|366»</Days></RetentionPolicy>',
    '<Version>1.0</Version><Enabled>false</Enabled><RetentionPolicy><Enabled>false</Enabled></RetentionPolicy>',
  ],
  section: [
    '<Cors>«@rule»</Cors>',
    '<Logging><Version>«1.0|2.0|»</Version><Delete>«true|1»</Delete><Read>true</Read><Write>true</Write><RetentionPolicy><Enabled>«false|true»</Enabled></RetentionPolicy></Logging>',
    '<HourMetrics>«@metrics»</HourMetrics>',
    '<MinuteMetrics>«@metrics»</MinuteMetrics>',
  ],
  properties: [
    '<StorageServiceProperties>«@section»</StorageServiceProperties>',
    '<?xml version="1.0"?><StorageServiceProperties>«@section»«@section»</StorageServiceProperties>',
  ],
  /** Of blobs. */
  container: [
    ...several(8, ...CONTAINERS),
    'missing',
    'UPPER',
    'a--b',
    '$root',
    '$web',
    '..',
    'x'.repeat(64),
  ],
  blob: [
    ...several(4, 'a', 'pages', 'log'),
    ...[
      'dir/b',
      'dir/sub/c',
      'é',
      'a%20b',
      'dot.',
      'slash/',
      '/a',
      'a//b',
      '😀',
      '%01',
      '%',
      'a/'.repeat(255),
    ],
    'x'.repeat(1_025),
  ],
  block: [...several(5, 'AAAA', 'BBBB', 'CCCC'), '', 'A', '====', 'é', 'QUJD'.repeat(40)],
  listed: [
    ...several(5, '<Latest>«@block»</Latest>'),
    '<Uncommitted>«@block»</Uncommitted>',
    '<Committed>«@block»</Committed>',
  ],
  blocks: [
    ...several(8, '«@listed»', '«@listed»«@listed»', ''),
    '<Latest>AAAA</Latest>'.repeat(BLOCKS_MAX + 1),
  ],
  bytes: [0, 1, 512, 1_024, 8_192, 16_385, 40_000].map(length => 'x'.repeat(length)),
  number: [`«0|1|512|1024|8192|4194304|-1|x|1e3||9223372036854775807|9223372036854775808»`],
  range: [
    ...several(2, 'bytes=«0-511|512-1023|0-8191|5-»'),
    'bytes=«-5|9-3|0-0|0-1,3-4|99999999999-|0-18446744073709551615|x»',
  ],
  time: ['«Wed, 01 Jan 2020 00:00:00 GMT|Fri, 01 Jan 2100 00:00:00 GMT|x|»'],
  tags: [
    '<Tags><TagSet><Tag><Key>«a|»</Key><Value>b</Value></Tag></TagSet></Tags>',
    '«<Tags><TagSet/></Tags>|<Tags><TagSet><Tag><Key>a</Key></Tag></TagSet></Tags>|<X/>|»',
  ],
  version: [...several(6, ''), '&snapshot=2020-01-01T00:00:00.0000000Z', '&snapshot=x', '&versionid=x'],
  source: [`«${HERE}/a|${HERE}/%|http://elsewhere/x|x|»`],
  listing: [
    ...several(3, ''),
    '«&prefix=a|&delimiter=/|&delimiter=ab|&maxresults=1|&maxresults=x|&marker=x|&include=snapshots,metadata,tags|&include=x»',
  ],
  lease: [LEASE, LEASE, 'x', ''],
  /** Parts of a batch of blobs are signed like the batch. */
  sas: [accountSas('b')],
  /** Of queues. */
  queue: [...several(8, ...QUEUES), 'missing', 'UPPER', 'a--b', 'x'.repeat(64)],
  message: ['ea4ef127-3d11-4e52-90c8-97ddff75f730', 'x', ''],
  seconds: ['«0|1|30|604800|604801|-1|2147483648|x|»'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type WordsName = keyof typeof WORDS;
