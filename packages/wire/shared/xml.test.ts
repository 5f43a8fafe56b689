// The XML reader: well-formed documents read exactly, others are refused, and no entity expands.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ServiceError } from '#account';
import { codePoint } from '#base/testing';
import { escapeXml, parseXml, XML_HEAD } from './xml.js';

const parse = (text: string) => parseXml(Buffer.from(text));
const refused = { name: 'ServiceError', code: 'InvalidXmlDocument' };

test('elements, text and order', () => {
  assert.deepEqual(parse('<a>x<b>1</b>y<c/><b> 2 </b>\n</a>'), {
    name: 'a',
    text: 'xy\n',
    children: [
      { name: 'b', text: '1', children: [] },
      { name: 'c', text: '', children: [] },
      { name: 'b', text: ' 2 ', children: [] },
    ],
  });
});

test('the forms that clients send', () => {
  const heads = [
    '',
    '\ufeff',
    XML_HEAD,
    '<?xml version="1.0"?>',
    "<?xml version='1.0' encoding='utf-8'?>\n",
    '<?xml version="1.0" encoding="utf-8" standalone="yes" ?>\r\n',
    '\n<!-- c --><?pi x?>',
  ];
  for (const head of heads) assert.equal(parse(`${head}<a>x</a> <!-- end -->\n`).text, 'x', head);
  assert.equal(parse('<a xmlns="urn:x" b:c = \'1 > 0 &amp; "\' >x</a >').text, 'x');
  assert.equal(parse('<p:añ·1 \n/>').name, 'p:añ·1');
});

test('text is exact', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['  x  ', '  x  '],
    ['a\r\nb\rc', 'a\nb\nc'],
    ['a&#13;&#xA;b', 'a\r\nb'],
    ['&lt;&gt;&amp;&apos;&quot;', '<>&\'"'],
    ['&amp;lt;&#38;lt;', '&lt;&lt;'],
    ['&#65;&#x1F600;&#x10FFFF;', 'A😀\u{10ffff}'],
    ['<![CDATA[<b>&amp;]]]]><![CDATA[>]]>', '<b>&amp;]]>'],
    ['a<!-- - > -->b<?x y?>c', 'abc'],
    ['a>b]]', 'a>b]]'],
    ['1e5', '1e5'],
  ];
  for (const [xml, text] of cases) assert.equal(parse(`<a>${xml}</a>`).text, text, xml);
});

test('names on Object.prototype are ordinary names', () => {
  const root = parse('<__proto__><constructor>x</constructor><hasOwnProperty/></__proto__>');
  assert.equal(root.name, '__proto__');
  assert.deepEqual(
    root.children.map(({ name }) => name),
    ['constructor', 'hasOwnProperty'],
  );
});

// saxes decides what is well-formed, and has tests of it.
test('documents that are not well-formed are refused', () => {
  const documents = [
    '',
    ' ',
    'x',
    '<a>',
    '<a></b>',
    '<a/><b/>',
    'x<a/>',
    '<a b=1/>',
    '<a>&x;</a>',
    '<a>\u0001</a>',
  ];
  for (const document of documents) assert.throws(() => parse(document), refused, JSON.stringify(document));
});

const placeOf = (body: Buffer): unknown => {
  try {
    parseXml(body);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'InvalidXmlDocument')
      return [error.detail.line, error.detail.position];
  }
  return assert.fail('It was taken.');
};

test('bytes that are not UTF-8 are refused with the place of the first', () => {
  const broken = [
    ...[[0xff], [0xfe], [0x80], [0xc0, 0x80], [0xc1, 0xbf], [0xe0, 0x80, 0xaf], [0xf0, 0x80, 0x80, 0xaf]],
    ...[
      [0xed, 0xa0, 0x80],
      [0xed, 0xbf, 0xbf],
      [0xf4, 0x90, 0x80, 0x80],
      [0xf5, 0x80, 0x80, 0x80],
      [0xc3, 0x28],
    ],
  ];
  for (const bytes of broken) {
    const within = (before: string) =>
      placeOf(Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from('</a>')]));
    assert.deepEqual(within('<a>'), [1, 4], bytes.join());
    assert.deepEqual(within('\ufeff<a>\n\r\né€'), [3, 3], bytes.join());
    assert.deepEqual(within(''), [1, 1], bytes.join());
    assert.deepEqual(placeOf(Buffer.concat([Buffer.from('<a>x'), Buffer.from(bytes)])), [1, 5], bytes.join());
  }
  assert.deepEqual(placeOf(Buffer.from([0x3c, 0x61, 0x3e, 0xe2, 0x82])), [1, 4], 'cut off in a character');
  assert.throws(() => parseXml(Buffer.from('\ufeff<a/>', 'utf16le')), refused);
});

test('only XML 1.0 is read, and a refusal has its place', () => {
  for (const version of ['1.1', '1.2', '2.0', '1', ''])
    for (const text of ['x', '&#11;', '&#x1F;'])
      assert.throws(() => parse(`<?xml version="${version}"?><a>${text}</a>`), refused, version);
  assert.deepEqual(placeOf(Buffer.from("<?xml version='1.1'?><a/>")), [1, 21]);
  for (const text of ['&#11;', '&#x1F;', '\u000b'])
    assert.throws(() => parse(`<?xml version="1.0"?><a>${text}</a>`), refused);
  for (const document of ['', '<!DOCTYPE a><a/>', '<a>'.repeat(40)])
    assert.notDeepEqual(placeOf(Buffer.from(document)), [undefined, undefined], document);
});

test('document types are refused, with their entities', () => {
  const bomb =
    '<!DOCTYPE a [<!ENTITY b "bbbbbbbb"><!ENTITY c "&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;">]><a>&d;</a>';
  assert.throws(() => parse(bomb), refused);
  assert.throws(() => parse('<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>'), refused);
  assert.throws(() => parse('<a><!DOCTYPE a></a>'), refused);
  assert.throws(() => parse('<a><!ENTITY b "c"></a>'), refused);
});

// Each of these takes minutes in a reader that is quadratic, or overflows the stack of one that recurs.
test('large documents take linear time', () => {
  const many = 500_000;
  assert.equal(parse(`<a>${'x'.repeat(8 * many)}</a>`).text.length, 8 * many);
  assert.equal(parse(`<a>${'&amp;'.repeat(many)}</a>`).text.length, many);
  assert.equal(parse(`<a>${'<b/>'.repeat(many)}</a>`).children.length, many);
  assert.equal(parse(`<a${' '.repeat(8 * many)}/>`).name, 'a');
  const broken = [
    '<a>'.repeat(many),
    '<a>'.repeat(many) + '</a>'.repeat(many),
    `<a${' '.repeat(many)}`,
    `<a${' b'.repeat(many)}`,
    `<a b${' '.repeat(many)}=${' '.repeat(many)}x`,
    `<a${' b="'.repeat(many)}`,
    `<${'a'.repeat(many)}`,
    `<a>${'<![CDATA['.repeat(many)}`,
    `<a>${'<!--'.repeat(many)}`,
    `<a>&${'a'.repeat(many)}`,
  ];
  for (const document of broken) assert.throws(() => parse(document), refused);
});

test('escaped text reads back', () => {
  const illegal = /[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), text => {
      assert.equal(parse(`<a>${escapeXml(text)}</a>`).text, text.replace(illegal, '\ufffd'));
    }),
  );
});
