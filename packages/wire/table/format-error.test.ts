// The forms of a refusal, byte for byte (protocol: errors#forms), its headers by the phase it comes from, and the index of
// the operation in a batch (protocol: batches#index-of-the-failure).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TableError, type TableErrorCode } from '#tables';
import { type ErrorContext, formatError } from './format-error.js';

const CONTEXT: ErrorContext = {
  requestId: '7944c5e8-0002-0079-7bcd-59ca30000000',
  now: 15_778_405_200_000_000n + 871_992n,
  format: { level: 'minimalmetadata', select: undefined, selectSuffix: '', prefer: undefined },
  xml: false,
  accept: undefined,
};
const LINES = '\nRequestId:7944c5e8-0002-0079-7bcd-59ca30000000\nTime:2020-01-01T01:02:00.0871992Z';
const JSON_LINES = LINES.replaceAll('\n', '\\n');
const TYPE = 'application/json;odata=minimalmetadata;streaming=true;charset=utf-8';
const SENTENCE =
  'Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly including the signature.';

type Format = ErrorContext['format'];
const format = (error: TableError, context: Partial<ErrorContext> = {}) =>
  formatError(error, { ...CONTEXT, ...context });
const of = (code: TableErrorCode, context: Partial<ErrorContext> = {}) =>
  format(new TableError(code), context);

test('JSON, at the level of the caller', () => {
  const json = (code: string, message: string) =>
    `{"odata.error":{"code":"${code}","message":{"lang":"en-US","value":"${message}${JSON_LINES}"}}}`;
  const answer = of('EntityAlreadyExists');
  assert.deepEqual(answer, {
    status: 409,
    reason: undefined,
    contentType: TYPE,
    body: json('EntityAlreadyExists', 'The specified entity already exists.'),
    preferenceApplied: undefined,
    more: undefined,
    cacheControl: true,
    noSniff: true,
    dataServiceVersion: '3.0;',
  });
  const none: Format = { ...CONTEXT.format, level: 'nometadata' };
  assert.equal(of('ResourceNotFound', { format: none }).contentType, TYPE.replace('minimal', 'no'));
  const filter = new TableError('InvalidInput:FilterSyntax', { position: 7, filter: `"é\n' {filter}` });
  const text = `Syntax error at position 7 in '\\"\\u00e9\\n' {filter}'.`;
  assert.equal(format(filter).body, json('InvalidInput', text));
});

test('a busy server sends Retry-After, a full disk does not', () => {
  for (const xml of [false, true]) {
    assert.deepEqual(of('ServerBusy', { xml }).more, [['Retry-After', '1']]);
    assert.equal(of('ServerBusy:Full', { xml }).more, undefined);
  }
});

test('XML of the operations whose documents are XML', () => {
  const answer = of('InvalidXmlDocument', { xml: true });
  assert.deepEqual(answer, {
    status: 400,
    reason: undefined,
    contentType: 'application/xml',
    body: `<?xml version="1.0" encoding="utf-8"?><m:error xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"><m:code>InvalidXmlDocument</m:code><m:message xml:lang="en-US">XML specified is not syntactically valid.${LINES}</m:message></m:error>`,
    cacheControl: false,
    noSniff: false,
    errorCode: 'InvalidXmlDocument',
    more: undefined,
  });
  // Recorded: this one does not echo the version.
  assert.equal(of('InvalidQueryParameterValue', { xml: true }).anonymous, true);
  const etag = new TableError('InvalidInput:Etag', { etag: '<&>' });
  assert.match(String(format(etag, { xml: true }).body), /The etag value '&lt;&amp;&gt;' specified/);
});

test('a refused Atom request has a form of its own', () => {
  const answer = of('AtomFormatNotSupported');
  assert.deepEqual(answer, {
    status: 415,
    reason: 'Atom format is not supported.',
    contentType: 'application/xml;charset=utf-8',
    body: `<?xml version="1.0" encoding="utf-8"?><error xmlns="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"><code>AtomFormatNotSupported</code><message xml:lang="en-US">Atom format is not supported.${LINES}</message></error>`,
    cacheControl: false,
    noSniff: true,
  });
});

test('failed authentication: JSON where it was asked for, else XML, and few headers', () => {
  const xml = (more: string) =>
    `<?xml version="1.0" encoding="utf-8"?><m:error xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"><m:code>AuthenticationFailed</m:code><m:message xml:lang="en-US">${SENTENCE}${LINES}</m:message>${more}</m:error>`;
  const json = `{"odata.error":{"code":"AuthenticationFailed","message":{"lang":"en-US","value":"${SENTENCE}${JSON_LINES}"}}}`;
  const facts = {
    status: 403,
    reason: SENTENCE,
    cacheControl: false,
    noSniff: false,
    errorCode: 'AuthenticationFailed',
    challenge: undefined,
    anonymous: true,
  };
  const inXml = { ...facts, contentType: 'application/xml', body: xml('') };
  for (const accept of [undefined, '*/*', 'application/atom+xml'])
    assert.deepEqual(of('AuthenticationFailed', { accept }), inXml);
  const inJson = { ...facts, contentType: 'application/json', body: json };
  for (const accept of ['application/json', 'Application/JSON;odata=nometadata'])
    assert.deepEqual(of('AuthenticationFailed', { accept }), inJson);
  assert.deepEqual(of('AuthenticationFailed', { accept: 'application/json', xml: true }), inXml);
  const sas = new TableError('AuthenticationFailed:Sas', { detail: 'a<b', reason: 'not told' });
  assert.equal(format(sas).body, xml('<m:AuthenticationErrorDetail>a&lt;b</m:AuthenticationErrorDetail>'));
  // A client's parser breaks on the detail in JSON.
  assert.deepEqual(format(sas, { accept: 'application/json' }), inJson);
});

test('the codes whose sentence is also the reason phrase of the status line', () => {
  const address = new TableError('AuthorizationSourceIPMismatch', { address: '10.0.0.1' });
  const sentence = 'This request is not authorized to perform this operation using this source IP 10.0.0.1.';
  for (const xml of [false, true]) assert.equal(format(address, { xml }).reason, sentence);
  assert.equal(of('JsonFormatNotSupported').reason, 'JSON format is not supported.');
  assert.equal(of('MediaTypeNotSupported').reason, 'None of the provided media types are supported');
  for (const code of ['EntityAlreadyExists', 'AuthorizationFailure', 'InvalidInput'] as const)
    assert.equal(of(code).reason, undefined);
});

const EARLY: readonly TableErrorCode[] = [
  'TableNotFound',
  'InvalidResourceName',
  'OutOfRangeInput',
  'OutOfRangeInput:ResourceName',
  'InvalidInput:Body',
  'InvalidInput:FilterSyntax',
  'InvalidInput:FilterTypes',
  'InvalidInput:KeyCount',
  'InvalidInput:KeyType',
  'InvalidInput:QuerySyntax',
  'InvalidUri',
  'MethodNotAllowed',
  'PropertyNameInvalid',
  'MediaTypeNotSupported',
  'JsonFormatNotSupported',
];
const LATE: readonly TableErrorCode[] = [
  'ResourceNotFound',
  'EntityAlreadyExists',
  'UpdateConditionNotSatisfied',
  'TableAlreadyExists',
  'PropertiesNeedValue',
  'PropertyNameTooLong',
  'TooManyProperties',
  'EntityTooLarge',
  'PropertyValueTooLarge',
  'DuplicatePropertiesSpecified',
  'OutOfRangeInput:Parameter',
  'InvalidDuplicateRow',
  'InvalidInput',
  'NotImplemented',
  'InvalidInput:Etag',
  'AuthorizationFailure',
  'AuthorizationPermissionMismatch',
];
const PREFERRING: Format = { ...CONTEXT.format, prefer: 'return-no-content' };

test('early refusals have no Cache-Control and no Preference-Applied', () => {
  for (const [codes, isLate] of [
    [EARLY, false],
    [LATE, true],
  ] as const) {
    for (const code of codes) {
      const { cacheControl, noSniff, preferenceApplied } = of(code, { format: PREFERRING });
      const expected = [isLate, true, isLate ? 'return-no-content' : undefined];
      assert.deepEqual([cacheControl, noSniff, preferenceApplied], expected, code);
    }
  }
});

test('the name in the body of Create Table is checked late', () => {
  for (const code of ['InvalidResourceName', 'OutOfRangeInput:ResourceName'] as const) {
    const answer = of(code, { format: PREFERRING, nameInBody: true });
    assert.deepEqual([answer.cacheControl, answer.preferenceApplied], [true, 'return-no-content'], code);
  }
});

/** The text before the sentence. */
function prefixOf(code: TableErrorCode, part: ErrorContext['part']): string {
  const [, prefix = ''] = /"value":"(\d+:)?/.exec(String(format(new TableError(code), { part }).body)) ?? [];
  return prefix;
}

test('the index of the operation in a batch', () => {
  assert.equal(prefixOf('EntityAlreadyExists', undefined), '');
  assert.equal(prefixOf('EntityAlreadyExists', { index: 2, says: 'always' }), '2:');
  assert.equal(prefixOf('InvalidInput:BatchLength', { index: 99, says: 'always' }), '99:');
  // The only operation of a changeset has the prefix only for early refusals.
  for (const code of LATE) assert.equal(prefixOf(code, { index: 0, says: 'early' }), '', code);
  for (const code of EARLY) assert.equal(prefixOf(code, { index: 0, says: 'early' }), '0:', code);
});
