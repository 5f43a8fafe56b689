// Every parser of what clients send, on random texts from pieces of its language: it gives a value or throws a ServiceError, and never
// another error, which would be answered with 500.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ServiceError } from '#account';
import { codePoint } from '#base/testing';
import { randomRuns } from '#base/testing/random-runs';
import { isAccountSas, parseAccountSas } from './auth/sas.js';
import { parseSharedKey } from './auth/shared-key.js';
import { parseTableSas } from './auth/table-sas.js';
import { parseBlobBatch } from './blob/batch.js';
import { parseEtags } from './blob/request/conditions.js';
import { parseTags, tagsOfHeader } from './blob/request/content-headers.js';
import { blobPosition, foundPosition } from './blob/request/markers.js';
import { parseTagCondition, parseTagQuery } from './blob/request/tag-languages.js';
import { parseBlobServiceProperties } from './blob/xml/blob-service-properties-xml.js';
import { parseBlockList } from './blob/xml/block-list-xml.js';
import { parseKeyInfo } from './blob/xml/user-delegation-key-xml.js';
import { parseMessageText } from './queue/parse-queue-operation.js';
import { parseIdentifiers } from './shared/access-policy-xml.js';
import { parseServiceProperties } from './shared/service-properties-xml.js';
import { parseQuery, parseStorageQuery, parseTarget } from './shared/target.js';
import { parseBatch } from './table/batch/parse-batch.js';
import { parseToken } from './table/continuation.js';
import { parseEntity, requireKey } from './table/entity/read-entity.js';
import { parseFilter } from './table/filter/parse-filter.js';
import { parseCondition } from './table/parse-operation.js';
import { parsePartTarget, TABLE_GRAMMAR } from './table/route.js';

const route = (target: string) =>
  parseTarget({ target, headers: { host: 'h' }, secure: false }, new Set(['a']), TABLE_GRAMMAR);
const BATCH = route('/a/$batch');

function parseSas(query: ReadonlyMap<string, string>): void {
  if (isAccountSas(query)) parseAccountSas(query, 'a');
  else parseTableSas(query, 'a');
}

const MEMBERS = `"PartitionKey": "p": "p@odata.type": "odata.x": "@odata.type": "@": "Edm.Int64" "Edm.Binary" "x" 1.5 null {} \\u12`;
const LINES = `--b --b-- --c --c-- \r Content-Type:application/http Content-Type:multipart/mixed;boundary=c GET/HTTP/1.1 x:y`;

/** The pieces of a language, and what reads its texts. */
const LANGUAGES: readonly (readonly [pieces: string, ...parsers: ((text: string) => unknown)[]])[] = [
  [MEMBERS, text => requireKey(parseEntity(Buffer.from(`{${text}}`)))],
  [
    '',
    text => parseEntity(Buffer.from(text, 'latin1')),
    parseSharedKey,
    text => parseSharedKey(`SharedKey a:${text}`),
  ],
  [`a RowKey eq and or not ( ) 'x' ' 5 - . e L X'0 null =`, parseFilter, parseTagCondition],
  [`a @container "k" = <> >= 'v' ' AND OR ( )`, parseTagCondition, text => parseTagQuery(text, false)],
  [`W/ " 0x1 datetime' ' * , %3A 2020-01-01`, parseCondition, parseEtags],
  ['1! 2! 4! AAAA - =', parseToken],
  [
    '1! QQ ! 5',
    text => blobPosition(new Map([['marker', text]])),
    text => foundPosition(new Map([['marker', text]])),
  ],
  [
    'sv= tn= ss= srt= sp= st= se= sip= spr= spk= epk= erk= sig= & 2019-02-02 t r 10.0.0.1 https',
    text => parseSas(parseQuery(text)),
  ],
  ['a = & % %2 %zz + %C3', parseQuery, parseStorageQuery, text => tagsOfHeader({ 'x-ms-tags': text })],
  [
    `/ ? % %2F ' ( ) PartitionKey= RowKey= , Tables $batch & = # \\ -secondary http:// %C3%B4`,
    route,
    text => route(`/a/${text}`),
    text => parsePartTarget(text, BATCH),
  ],
  [
    LINES,
    text => parseBatch('multipart/mixed; boundary=b', Buffer.from(text)),
    text => parseBlobBatch('multipart/mixed; boundary=b', Buffer.from(text)),
  ],
];

/** The documents, each by the name of its root. */
const DOCUMENTS: readonly (readonly [root: string, parse: (body: Buffer) => unknown])[] = [
  ['SignedIdentifiers', parseIdentifiers],
  ['StorageServiceProperties', parseServiceProperties],
  ['StorageServiceProperties', parseBlobServiceProperties],
  ['BlockList', parseBlockList],
  ['Tags', parseTags],
  ['QueueMessage', parseMessageText],
  ['KeyInfo', body => parseKeyInfo(body, 0n)],
];
const NAMES = `SignedIdentifier Id AccessPolicy Start Expiry Permission Logging HourMetrics Version Read Write Delete Enabled Days
  RetentionPolicy Cors CorsRule AllowedOrigins AllowedMethods StaticWebsite DeleteRetentionPolicy Latest TagSet Tag Key Value MessageText`;
const CONTENTS = [
  '',
  ' ',
  'r',
  '7',
  'true',
  '1.0',
  '2020-01-01',
  'GET',
  '*',
  'YQ==',
  '&lt;',
  '&#',
  '<!--',
  '<![CDATA[',
];

function attempt(parse: () => unknown): void {
  try {
    parse();
  } catch (error) {
    assert.ok(error instanceof ServiceError, String(error));
  }
}

const COMMON = [' ', '\n', '\0', 'é', '\ud83d', '\ufeff'];

function textOf(pieces: string): fc.Arbitrary<string> {
  const soup = fc.array(fc.constantFrom(...pieces.split(/[ \n]+/), ...COMMON), { maxLength: 16 });
  return fc.oneof(
    soup.map(parts => parts.join('')),
    fc.string({ unit: codePoint, maxLength: 20 }),
  );
}

for (const [pieces, ...parsers] of LANGUAGES)
  test(`any text of ${pieces.slice(0, 40)}`, () => {
    const property = fc.property(textOf(pieces), text => {
      for (const parse of parsers) attempt(() => parse(text));
    });
    fc.assert(property, { numRuns: randomRuns(5_000) });
  });

const { element } = fc.letrec<{ element: string }>(tie => ({
  element: fc
    .tuple(
      fc.constantFrom(...NAMES.split(/\s+/)),
      fc.array(fc.oneof({ maxDepth: 3 }, fc.constantFrom(...CONTENTS), tie('element')), { maxLength: 4 }),
    )
    .map(([name, inside]) => `<${name}>${inside.join('')}</${name}>`),
}));

for (const [root, parse] of DOCUMENTS)
  test(`any document of ${root}, by ${parse.name || 'parseKeyInfo'}`, () => {
    const property = fc.property(
      fc.array(element, { maxLength: 3 }),
      textOf('< > </ / & ? ! --'),
      (elements, text) => {
        for (const document of [`<${root}>${elements.join('')}</${root}>`, text, `<${root}>${text}`])
          attempt(() => parse(Buffer.from(document)));
      },
    );
    fc.assert(property, { numRuns: randomRuns(2_000) });
  });
