// The five forms of .NET, and neighbours that are none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type GuidForm, parseGuid } from './guid.js';

const GUID = '0123abcd-0f23-4567-89ab-0023456789af';
const N = GUID.replaceAll('-', '');
const X = '{0x0123abcd,0x0f23,0x4567,{0x89,0xab,0x00,0x23,0x45,0x67,0x89,0xaf}}';
const TEXTS: readonly (readonly [GuidForm, string])[] = [
  ['N', N],
  ['D', GUID],
  ['B', `{${GUID}}`],
  ['P', `(${GUID})`],
  ['X', X],
  ['X', X.replaceAll(',', ', ')],
  ['X', X.replaceAll('0x0', '0x')],
];

test('each form is read in either case, alone and among all', () => {
  for (const [form, text] of TEXTS)
    for (const each of [text, text.toUpperCase()]) {
      assert.equal(parseGuid(each), GUID, each);
      for (const asked of ['N', 'D', 'B', 'P', 'X'] as const)
        assert.equal(parseGuid(each, [asked]), asked === form ? GUID : undefined, `${asked} ${each}`);
    }
});

test('neighbours of the forms are refused', () => {
  const group = N.slice(1);
  for (const text of [
    '',
    group,
    `${N}0`,
    `g${group}`,
    '00000000000000000000-00009A8DF540',
    `${N.slice(0, 8)}-${N.slice(8)}`,
    `${GUID}-`,
    GUID.replace('-', ''),
    GUID.replace('0123abcd-', '0123abc-d'),
    GUID.replaceAll('-', '_'),
    `{${N}}`,
    `(${N})`,
    `{${GUID}`,
    `${GUID}}`,
    `(${GUID}`,
    `{${GUID})`,
    `(${GUID}}`,
    `{{${GUID}}}`,
    `({${GUID}})`,
    `[${GUID}]`,
    `"${GUID}"`,
    `${GUID}\n`,
    ` ${GUID}`,
    X.slice(0, -1),
    X.slice(1, -1),
    X.replaceAll('0x', ''),
    X.replace('0x89', '0x'),
    X.replace('0x89', '0x089'),
    X.replace('0x0f23', '0x00f23'),
    X.replace('0x0123abcd', '0x00123abcd'),
    X.replace('0x00,', ''),
    X.replace('0x00,', '0x00,0x00,'),
    X.replace('{0x89', '0x89').replace('}}', '}'),
    X.replaceAll(',', ';'),
    `(${X.slice(1, -1)})`,
  ])
    assert.equal(parseGuid(text), undefined, text);
});

test('any GUID in any form', () => {
  const forms: readonly ((guid: string) => string)[] = [
    guid => guid,
    guid => guid.replaceAll('-', ''),
    guid => `{${guid}}`,
    guid => `(${guid})`,
    guid => {
      const [a, b, c, ...rest] = guid.split('-');
      return `{0x${a},0x${b},0x${c},{${rest
        .join('')
        .replace(/..(?!$)/g, '0x$&,')
        .replace(/..$/, '0x$&')}}}`;
    },
  ];
  fc.assert(
    fc.property(fc.uuid(), fc.constantFrom(...forms), (guid, form) => {
      assert.equal(parseGuid(form(guid)), guid);
    }),
  );
});
