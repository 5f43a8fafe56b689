// The ACL document against captured bodies, at both sides of each limit (protocol: access-policies).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatIdentifiers, parseIdentifiers } from './access-policy-xml.js';

const parse = (text: string) => parseIdentifiers(Buffer.from(text));
const identifier = (content: string) => `<SignedIdentifier>${content}</SignedIdentifier>`;
const document = (...contents: string[]) =>
  `<?xml version='1.0' encoding='utf-8'?>\n<SignedIdentifiers>${contents.map(identifier).join('')}</SignedIdentifiers>`;
const policyOf = (content: string) => parse(document(`<Id>a</Id>${content}`))[0]?.policy;
const refused = { name: 'ServiceError', code: 'InvalidXmlDocument' };

test('a captured exchange: none, empty, partial and full policies', () => {
  const sent = document(
    '<Id>null</Id>',
    '<Id>empty</Id><AccessPolicy />',
    '<Id>partial</Id><AccessPolicy><Permission>r</Permission></AccessPolicy>',
    '<Id>full</Id><AccessPolicy><Start>2021-06-08T02:10:09Z</Start><Expiry>2021-06-08T02:10:09Z</Expiry><Permission>r</Permission></AccessPolicy>',
  );
  const received =
    '\ufeff<?xml version="1.0" encoding="utf-8"?><SignedIdentifiers><SignedIdentifier><Id>null</Id></SignedIdentifier>' +
    '<SignedIdentifier><Id>empty</Id></SignedIdentifier><SignedIdentifier><Id>partial</Id><AccessPolicy>' +
    '<Permission>r</Permission></AccessPolicy></SignedIdentifier><SignedIdentifier><Id>full</Id><AccessPolicy>' +
    '<Start>2021-06-08T02:10:09.0000000Z</Start><Expiry>2021-06-08T02:10:09.0000000Z</Expiry><Permission>r</Permission>' +
    '</AccessPolicy></SignedIdentifier></SignedIdentifiers>';
  assert.equal(formatIdentifiers(parse(sent)), received);
  assert.deepEqual([...Buffer.from(received).subarray(0, 3)], [0xef, 0xbb, 0xbf]);
});

test('empty elements are open fields, and a policy without fields reads back as none', () => {
  assert.equal(policyOf('<AccessPolicy><Start/><Expiry></Expiry><Permission/></AccessPolicy>'), undefined);
  const policy = { start: undefined, expiry: undefined, permission: 'ud' };
  assert.deepEqual(
    policyOf('<AccessPolicy><Start/><Expiry/><Permission>ud</Permission></AccessPolicy>'),
    policy,
  );
});

test('letters are of raud, in any order, which is kept', () => {
  for (const letters of ['r', 'raud', 'dua']) {
    const policy = policyOf(`<AccessPolicy><Permission>${letters}</Permission></AccessPolicy>`);
    assert.equal(policy?.permission, letters);
  }
  for (const letters of ['x', 'raup', 'R', 'rr', 'r a']) {
    assert.throws(
      () => policyOf(`<AccessPolicy><Permission>${letters}</Permission></AccessPolicy>`),
      refused,
      letters,
    );
  }
});

test('ids have 1 to 64 characters, are exact and unique', () => {
  assert.equal(parse(document(`<Id>${'i'.repeat(64)}</Id>`))[0]?.id.length, 64);
  assert.throws(() => parse(document(`<Id>${'i'.repeat(65)}</Id>`)), refused);
  assert.throws(() => parse(document('')), refused);
  assert.throws(() => parse(document('<Id></Id>')), refused);
  assert.throws(() => parse(document('<Id/><AccessPolicy/>')), refused);
  assert.throws(() => parse(document('<Id>a</Id>', '<Id>a</Id>')), refused);
  assert.equal(parse(document('<Id> a&amp;b </Id>'))[0]?.id, ' a&b ');
  assert.match(formatIdentifiers([{ id: '<&>', policy: undefined }]), /<Id>&lt;&amp;&gt;<\/Id>/);
});

test('at most five policies', () => {
  const ids = Array.from({ length: 6 }, (_, i) => `<Id>${i}</Id>`);
  assert.equal(parse(document(...ids.slice(0, 5))).length, 5);
  assert.throws(() => parse(document(...ids)), refused);
});

test('structure', () => {
  for (const text of [
    '<SignedIdentifier><Id>a</Id></SignedIdentifier>',
    '<SignedIdentifiers>x</SignedIdentifiers>',
    '<SignedIdentifiers><Other/></SignedIdentifiers>',
    document('<Id>a</Id><Id>b</Id>'),
    document('<Id>a</Id><Other/>'),
    document('<Id><b/></Id>'),
    document('<Id>a</Id><AccessPolicy><Other/></AccessPolicy>'),
    document('<Id>a</Id><AccessPolicy>r</AccessPolicy>'),
    document('<Id>a</Id><AccessPolicy/><AccessPolicy/>'),
    ' ',
  ]) {
    assert.throws(() => parse(text), refused, text);
  }
  const pretty = `\n <SignedIdentifiers>\n  ${identifier('\n <AccessPolicy>\n </AccessPolicy><Id>a</Id>\r\n')}\n </SignedIdentifiers>\n`;
  assert.deepEqual(parse(pretty), [{ id: 'a', policy: undefined }]);
});

test('what is written reads back', () => {
  const open = <T>(field: fc.Arbitrary<T>) => fc.option(field, { nil: undefined });
  const time = fc.bigInt({ min: -621_355_968_000_000_000n, max: 2_534_023_007_999_999_999n });
  const policy = fc
    .record({ start: open(time), expiry: open(time), permission: open(fc.constantFrom('r', 'raud', 'du')) })
    .map(fields => (Object.values(fields).every(field => field === undefined) ? undefined : { ...fields }));
  const id = fc.string({ minLength: 1, maxLength: 64 }).filter(text => /^[ -~]+$/.test(text));
  const list = fc.uniqueArray(fc.record({ id, policy }, { noNullPrototype: true }), {
    maxLength: 5,
    selector: entry => entry.id,
  });
  fc.assert(
    fc.property(list, identifiers => {
      assert.deepEqual(parse(formatIdentifiers(identifiers)), identifiers);
    }),
  );
});
