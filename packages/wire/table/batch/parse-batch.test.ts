// The batch envelope: what a client sends whose form is unusual, refusals, and damage: cuts, flipped bytes, doubled and large bodies.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomRuns } from '#base/testing/random-runs';
import { TableError, type TableErrorCode } from '#tables';
import { BATCH_PARTS_MAX, type BatchRequest, parseBatch } from './parse-batch.js';

/** Of all bytes, one in so many is replaced in `npm test`: another one of each sample, by its length. */
const STEP = process.env.SHELFMARK_LONG === undefined ? 7 : 1;
const CRLF = '\r\n';
const GUID_A = 'b576f05d-3be7-4e3f-b6c9-51f7dc55ed26';
const GUID_B = 'bc54d89d-04c1-4253-986e-32d2bff993c1';
const CONTENT_TYPE = `multipart/mixed; boundary=batch_${GUID_A}`;
const HOST = 'https://account.table.core.windows.net';

const OPENING = [`--batch_${GUID_A}`, `Content-Type: multipart/mixed; boundary=changeset_${GUID_B}`, ''];
const MIME = ['Content-Type: application/http', 'Content-Transfer-Encoding: binary', ''];

/** WindowsAzure.Storage 8 and 9: MERGE, Content-ID among the HTTP headers, more blank lines after a DELETE. */
const SENT = [
  ...OPENING,
  `--changeset_${GUID_B}`,
  ...MIME,
  `MERGE ${HOST}/T(PartitionKey='p',RowKey='1') HTTP/1.1`,
  'Accept: application/json; odata=minimalmetadata',
  'Content-Type: application/json',
  'DataServiceVersion: 3.0;',
  'MaxDataServiceVersion: 3.0;NetFx',
  'Content-ID: 3',
  'If-Match: *',
  '',
  '{"n":1.0}',
  `--changeset_${GUID_B}`,
  ...MIME,
  `DELETE ${HOST}/T(PartitionKey='p',RowKey='2') HTTP/1.1`,
  'If-Match: *',
  '',
  '',
  '',
  `--changeset_${GUID_B}--`,
  `--batch_${GUID_A}--`,
  '',
].join(CRLF);
/** Method, target, Content-ID and body of each part. */
const PARTS = [
  ['MERGE', `${HOST}/T(PartitionKey='p',RowKey='1')`, '3', '{"n":1.0}'],
  ['DELETE', `${HOST}/T(PartitionKey='p',RowKey='2')`, undefined, ''],
];

const parse = (body: string | Buffer, contentType: string | undefined = CONTENT_TYPE): BatchRequest =>
  parseBatch(contentType, typeof body === 'string' ? Buffer.from(body) : body);

function assertRefused(
  body: string,
  contentType = CONTENT_TYPE,
  code: TableErrorCode = 'InvalidInput',
): void {
  assert.throws(
    () => parse(body, contentType),
    (error: unknown) => error instanceof TableError && error.code === code,
    body,
  );
}

/** The result, or undefined if it was refused; any other exception is a bug. */
function attempt(body: Buffer, contentType: string): BatchRequest | undefined {
  try {
    return parseBatch(contentType, body);
  } catch (error) {
    assert.ok(error instanceof TableError, String(error));
    return undefined;
  }
}

test('what a client sends', () => {
  const batch = parse(SENT);
  assert.ok(batch.kind === 'changeset');
  const found = batch.parts.map(part => [part.method, part.target, part.contentId, part.body.toString()]);
  assert.deepEqual(found, PARTS);
});

test('what a client sends, with other line ends', () => {
  const expected = parse(SENT);
  const withLf = SENT.replaceAll(CRLF, '\n');
  const mixed = withLf.split('\n').reduce((text, line, i) => text + (i % 3 === 0 ? '\n' : CRLF) + line);
  for (const text of [
    withLf,
    withLf.replaceAll('\n', CRLF),
    mixed,
    SENT.trimEnd(),
    `${CRLF}${SENT}${CRLF}\n \t`,
  ]) {
    assert.deepEqual(parse(text), expected);
  }
});

test('what a client sends, cut at every byte', () => {
  const bytes = Buffer.from(SENT);
  const expected = parse(SENT);
  const complete = Buffer.from(SENT.trimEnd()).length;
  for (let length = 0; length <= bytes.length; length++) {
    const found = attempt(bytes.subarray(0, length), CONTENT_TYPE);
    assert.deepEqual(found, length < complete ? undefined : expected, `cut at ${length}`);
  }
});

test('what a client sends, with bytes replaced', () => {
  for (let at = SENT.length % STEP; at < Buffer.byteLength(SENT); at += STEP) {
    for (const byte of [0x00, 0x0a, 0x2d, 0xff]) {
      const bytes = Buffer.from(SENT);
      bytes[at] = byte;
      attempt(bytes, CONTENT_TYPE);
    }
  }
});

test('what a client sends, twice in one body', () => assertRefused(SENT + SENT));

const insert = [...MIME, 'POST /T HTTP/1.1', '', '{}'];
const get = [...MIME, "GET /T(PartitionKey='p',RowKey='1')? HTTP/1.1", 'Accept: application/json', ''];

const changeset = (parts: readonly (readonly string[])[], boundary = 'cs'): readonly string[] => [
  `Content-Type: multipart/mixed; boundary=${boundary}`,
  '',
  ...parts.flatMap(part => [`--${boundary}`, ...part]),
  `--${boundary}--`,
];

const batch = (sections: readonly (readonly string[])[]): string =>
  [...sections.flatMap(section => ['--b', ...section]), '--b--', ''].join(CRLF);

const B = 'multipart/mixed; boundary=b';

test('a GET stands alone, directly in the batch', () => {
  const found = parse(batch([get]), B);
  assert.ok(found.kind === 'query');
  assert.deepEqual(
    [found.part.method, found.part.target, found.part.headers, found.part.body.length],
    ['GET', "/T(PartitionKey='p',RowKey='1')?", { accept: 'application/json' }, 0],
  );
});

test('an empty changeset is legal', () => {
  assert.deepEqual(parse(batch([changeset([])]), B), { kind: 'changeset', parts: [] });
});

test('any other combination of parts is refused', () => {
  for (const sections of [
    [],
    [changeset([insert]), changeset([insert])],
    [changeset([]), changeset([])],
    [changeset([insert]), get],
    [get, changeset([insert])],
    [get, get],
    [insert],
    [changeset([get])],
    [changeset([insert, get])],
    [changeset([changeset([insert], 'inner')])],
    [['Content-Type: text/plain', '', 'hello']],
    [['', ...insert]],
  ]) {
    assertRefused(batch(sections), B);
  }
});

test('the Content-Type of the batch', () => {
  const body = batch([changeset([insert])]);
  const other = [
    undefined,
    '',
    'application/json',
    'multipart/form-data; boundary=b',
    'multipart/mixedx; boundary=b',
  ];
  for (const type of other) {
    assert.throws(
      () => parseBatch(type, Buffer.from(body)),
      (error: unknown) => error instanceof TableError && error.code === 'MediaTypeNotSupported',
    );
  }
  for (const type of [
    'multipart/mixed',
    'multipart/mixed; boundary=',
    'multipart/mixed; boundary=""',
    'multipart/mixed; boundary=é',
    'multipart/mixed; boundary=other',
    'multipart/mixed; boundary=B',
  ]) {
    assertRefused(body, type);
  }
  for (const type of [
    'Multipart/Mixed;BOUNDARY=b',
    'multipart/mixed ; boundary = "b"',
    'multipart/mixed; charset="a;boundary=x"; boundary=b ; boundary=c',
  ]) {
    assert.equal(parse(body, type).kind, 'changeset', type);
  }
});

test('a delimiter counts only as a line of its own', () => {
  const bodies = ['{"a":"--cs"}', ' --cs', '--csx', '--cs-', '--cs--x', 'x--cs--', '--CS'];
  const found = parse(batch([changeset(bodies.map(text => [...MIME, 'POST /T HTTP/1.1', '', text]))]), B);
  assert.ok(found.kind === 'changeset');
  assert.deepEqual(
    found.parts.map(part => part.body.toString()),
    bodies,
  );
  const padded = parse(
    batch([changeset([insert])]).replaceAll(/^--.*$/gm, line => `${line} \t`),
    B,
  );
  assert.deepEqual(padded, parse(batch([changeset([insert])]), B));
});

test('no bytes of a body are skipped silently', () => {
  const body = batch([changeset([insert])]);
  for (const text of [
    `hello\n${body}`,
    `${body}hello`,
    body.replace('--cs\r', '--CS\r'),
    body.replace('--cs--', '--cs--\r\nhello'),
  ]) {
    assertRefused(text, B);
  }
});

test('headers: any order and case, repeated ones joined, names on Object.prototype', () => {
  const part = [
    ...MIME,
    'PUT /T HTTP/1.1',
    'CONTENT-ID:  7 ',
    'if-match:*',
    'If-Match : "x"',
    '__proto__: y',
    'Empty:',
    '',
    '{}',
  ];
  const found = parse(batch([changeset([part])]), B);
  assert.ok(found.kind === 'changeset');
  const headers = { 'content-id': '7', 'if-match': '*, "x"', ['__proto__']: 'y', empty: '' };
  assert.deepEqual(found.parts[0]?.headers, headers);
  assert.equal(found.parts[0]?.contentId, '7');
});

test('malformed headers and request lines', () => {
  const head = (line: string): string[] => [...MIME, 'POST /T HTTP/1.1', line, '', '{}'];
  for (const line of ['no colon', ': no name', 'a b: c', ' folded: x', 'a: \u0000', 'a: x\ry', 'é: x']) {
    assertRefused(batch([changeset([head(line)])]), B);
  }
  assertRefused(batch([changeset([head(Array.from({ length: 100 }, (_, i) => `h${i}: x`).join(CRLF))])]), B);
  for (const line of [
    '',
    'POST',
    'POST /T',
    'POST  HTTP/1.1',
    '/T HTTP/1.1',
    'POST /T HTTP/11',
    'POST /T FTP/1.1',
    'PO-ST /T HTTP/1.1',
    'POST /T\u0007 HTTP/1.1',
  ]) {
    assertRefused(batch([changeset([[...MIME, line, '', '']])]), B);
  }
});

test('targets stay as they were sent, blanks and other letters included', () => {
  for (const target of ["/T(PartitionKey='a b',RowKey='ô')", '/', 'http://x/T?a=b%20c', '*']) {
    const found = parse(batch([changeset([[...MIME, `POST ${target} HTTP/1.1`, '', '{}']])]), B);
    assert.ok(found.kind === 'changeset');
    assert.equal(found.parts[0]?.target, target);
  }
});

test('more parts than a changeset may hold come back, up to a limit', () => {
  for (const count of [100, 101, BATCH_PARTS_MAX, BATCH_PARTS_MAX + 1]) {
    const found = parse(batch([changeset(Array.from({ length: count }, () => insert))]), B);
    assert.ok(found.kind === 'changeset');
    assert.equal(found.parts.length, Math.min(count, BATCH_PARTS_MAX));
  }
});

test('a large body of the worst case is refused', () => {
  // The slow suite uses the server's limit; a quarter of it also exposes superlinear time.
  const size = (process.env.SHELFMARK_LONG === undefined ? 1 : 4) * 1024 * 1024;
  const fill = (text: string): string => text.repeat(Math.ceil(size / text.length));
  const long = '-'.repeat(70);
  const openings = [
    '',
    '--b\n',
    `--b\nContent-Type: multipart/mixed; boundary=${long}\n\n--${long}\n`,
    `--b\n${MIME.join('\n')}\nPOST /T HTTP/1.1\n`,
  ];
  for (const text of ['-', '\n', '\r', ' ', '--b \n', `--${long}-\n`, `--${long}\n`, 'a: b\n', '\0']) {
    assertRefused(fill(text), `multipart/mixed; boundary=${long}`);
    for (const opening of openings) assertRefused(opening + fill(text), B);
  }
});

test('a boundary as long as the body takes linear time', () => {
  const half = 2 * 1024 * 1024;
  const boundary = '-'.repeat(half);
  assertRefused(
    `--b\nContent-Type: multipart/mixed; boundary=${boundary}\n\n${'-\n'.repeat(half / 2)}--b--`,
    B,
  );
  assertRefused(`--b\nContent-Type: multipart/mixed; ${'boundary '.repeat(half / 9)}\n\n--b--`, B);
});

const token = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,11}$/);
const headerValue = fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/);
const anyPart = fc.record({
  method: fc.constantFrom('POST', 'PUT', 'MERGE', 'PATCH', 'DELETE'),
  target: fc.webUrl({ withQueryParameters: true }),
  headers: fc.uniqueArray(fc.tuple(token, headerValue), { selector: ([name]) => name.toLowerCase() }),
  body: fc.oneof(
    fc.constant(''),
    fc.json().map(text => text.trim()),
  ),
  mimeOrder: fc.boolean(),
  lineEnd: fc.constantFrom('\n', CRLF),
  blankLines: fc.nat(2),
});
const boundaries = fc
  .uniqueArray(fc.stringMatching(/^[A-Za-z0-9'()+_,./:=?-]{1,70}$/), { minLength: 2, maxLength: 2 })
  .map(([outer = '', inner = '']) => [`o${outer}`, `i${inner}`] as const);

test('a written batch reads back', () => {
  fc.assert(
    fc.property(fc.array(anyPart, { maxLength: 6 }), boundaries, (parts, [outer, inner]) => {
      const written = parts.map(part => {
        const types = part.mimeOrder ? MIME.slice(0, 2) : MIME.slice(0, 2).reverse();
        const head = [`--${inner}`, ...types, '', `${part.method} ${part.target} HTTP/1.1`];
        const headers = part.headers.map(([name, value]) => `${name}: ${value}`);
        return [
          ...head,
          ...headers,
          '',
          ...Array.from({ length: part.blankLines }, () => ''),
          part.body,
          '',
        ].join(part.lineEnd);
      });
      const body = `--${outer}\nContent-Type: multipart/mixed; boundary="${inner}"\n\n${written.join('')}--${inner}--\n--${outer}--`;
      const found = parse(body, `multipart/mixed; boundary="${outer}"`);
      assert.ok(found.kind === 'changeset');
      assert.deepEqual(
        found.parts.map(part => [part.method, part.target, part.headers, part.body.toString()]),
        parts.map(({ method, target, headers, body: text }) => [
          method,
          target,
          Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
          text,
        ]),
      );
    }),
    { numRuns: 500 },
  );
});

test('a part is read as if it were alone, whatever stands in the parts before it', () => {
  const line = fc.constantFrom('POST /T HTTP/1.1', 'A: b', 'A: b', 'A: bc', '', '', '\t', '{}', 'x');
  const part = fc.array(line, { minLength: 1, maxLength: 7 });
  const read = (parts: readonly (readonly string[])[]) => {
    const written = parts.map(lines => `--c\n${MIME.join('\n')}\n${lines.join('\n')}\n`).join('');
    const body = `--b\nContent-Type: multipart/mixed; boundary=c\n\n${written}--c--\n--b--`;
    const batch = attempt(Buffer.from(body), B);
    return batch?.kind === 'changeset' ? batch.parts : undefined;
  };
  const property = fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), parts => {
    const alone = parts.map(one => read([one])?.[0]);
    assert.deepEqual(read(parts), alone.includes(undefined) ? undefined : alone);
  });
  fc.assert(property, { numRuns: randomRuns(3000) });
});
