// Lists of blocks and of pages: what is read, refused and written.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '#account';
import { codesOf } from '#account/testing';
import { XML_HEAD } from '../../shared/xml.js';
import { formatBlockList, formatPageList, parseBlockList } from './block-list-xml.js';

const parse = (text: string) => parseBlockList(Buffer.from(text));
const list = (items: string): string =>
  `<?xml version="1.0" encoding="utf-8"?><BlockList>${items}</BlockList>`;

const codeOf = codesOf(ServiceError);
const refusal = (text: string): string => codeOf(() => parse(text));

test('sets in the order of the content, names with or without space around', () => {
  assert.deepEqual(
    parse(list(' <Latest>YQ==</Latest>\n<Committed> Yg== </Committed><Uncommitted>YQ==</Uncommitted>')),
    [
      { from: 'latest', id: 'YQ==' },
      { from: 'committed', id: 'Yg==' },
      { from: 'uncommitted', id: 'YQ==' },
    ],
  );
  assert.deepEqual(parse(list('<Latest><![CDATA[YQ==]]></Latest><Latest>Y&#81;==</Latest>')), [
    { from: 'latest', id: 'YQ==' },
    { from: 'latest', id: 'YQ==' },
  ]);
  for (const text of ['<BlockList/>', list(''), `\ufeff${list('<!-- none -->')}`])
    assert.deepEqual(parse(text), []);
});

test('50,000 blocks', () => {
  const of = (count: number) => list('<Latest>YQ==</Latest>'.repeat(count));
  assert.equal(parse(of(49_999)).length, 49_999);
  assert.equal(parse(of(50_000)).length, 50_000);
  assert.equal(refusal(of(50_001)), 'BlockListTooLong');
});

test('names that no block has', () => {
  const long = (bytes: number) => Buffer.alloc(bytes, 'a').toString('base64');
  assert.equal(refusal(list(`<Latest>${long(64)}</Latest>`)), 'none');
  for (const id of ['', '!', 'YQ', 'YQ=', 'Y Q==', long(65), 'é'])
    assert.equal(refusal(list(`<Latest>${id}</Latest>`)), 'InvalidBlockList', id);
});

test('documents that are no list', () => {
  const documents = [
    '',
    'x',
    '<BlockList>',
    '<BlockList/>x',
    '<Blocklist/>',
    list('text'),
    list('<latest>YQ==</latest>'),
    list('<constructor>YQ==</constructor>'),
    list('<Latest><a/></Latest>'),
    list('&b;'),
    '<!DOCTYPE a [<!ENTITY b "c">]><BlockList>&b;</BlockList>',
    '<a>'.repeat(100_000),
    '\0',
  ];
  for (const text of documents) assert.equal(refusal(text), 'InvalidXmlDocument', text.slice(0, 40));
  assert.throws(() => parseBlockList(Buffer.from([0x3c, 0xff, 0xfe])), { code: 'InvalidXmlDocument' });
});

test('what is there is written by set', () => {
  const blocks = (more: object) =>
    formatBlockList({ kind: 'blocks', ...more } as Parameters<typeof formatBlockList>[0]);
  const one = [{ id: 'YQ==', length: 5 }];
  const block = '<Block><Name>YQ==</Name><Size>5</Size></Block>';
  assert.equal(
    blocks({ committed: one, uncommitted: [] }),
    `${XML_HEAD}<BlockList><CommittedBlocks>${block}</CommittedBlocks><UncommittedBlocks /></BlockList>`,
  );
  assert.equal(
    blocks({ committed: undefined, uncommitted: one }),
    `${XML_HEAD}<BlockList><UncommittedBlocks>${block}</UncommittedBlocks></BlockList>`,
  );
});

test('the last byte belongs to a range of pages', () => {
  const pages = (more: object) =>
    formatPageList({ kind: 'pageRanges', ...more } as Parameters<typeof formatPageList>[0]);
  assert.equal(pages({ ranges: [], next: undefined }), `${XML_HEAD}<PageList />`);
  assert.equal(
    pages({
      ranges: [
        { from: 0, until: 512, isClear: false },
        { from: 512, until: 1024, isClear: true },
      ],
      next: 1024,
    }),
    `${XML_HEAD}<PageList><PageRange><Start>0</Start><End>511</End></PageRange><ClearRange><Start>512</Start><End>1023</End></ClearRange><NextMarker>1024</NextMarker></PageList>`,
  );
});
