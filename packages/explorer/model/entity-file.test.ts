// Files of entities: what is written is read back to the byte, in both forms; faults have their line.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatLine, readRow } from '#data-tools/line';
import { formatRecord, readRecords } from './csv.js';
import { EntityWriter, FORMATS, readEntityFile } from './entity-file.js';

const LINES = [
  '{"PartitionKey":"p","RowKey":"1","Timestamp":"2026-01-01T00:00:00.1234567Z","d@odata.type":"Edm.Double","d":"NaN","s":"a\\"b,\\nc"}',
  '{"PartitionKey":"p","RowKey":"2","l@odata.type":"Edm.Int64","l":"9223372036854775807","s":""}',
  '{"PartitionKey":"q","RowKey":"","s":"\\ud800"}',
];

test('entities come back from each form', () => {
  for (const format of FORMATS) {
    const writer = new EntityWriter(format);
    writer.add(LINES.slice(0, 1).map(line => readRow(line)));
    writer.add(LINES.slice(1).map(line => readRow(line)));
    const text = [...writer.pieces()].join('');
    const { rows, fault } = readEntityFile(`file.${format}`, text);
    assert.equal(fault, undefined);
    assert.deepEqual(rows.map(formatLine), LINES, format);
  }
  assert.deepEqual(readEntityFile('x.json', `[${LINES.join(',')}]`).rows.map(formatLine), LINES);
});

test('records of any cells come back', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.string(), { minLength: 2 })), records => {
      const text = records.map(formatRecord).join('');
      assert.deepEqual(
        [...readRecords(text)].map(({ cells }) => cells),
        records,
      );
    }),
  );
  assert.deepEqual(
    [...readRecords('a,b\r\n"x\ny",z\r\n1,2')].map(({ cells, line }) => [line, ...cells]),
    [
      [1, 'a', 'b'],
      [2, 'x\ny', 'z'],
      [4, '1', '2'],
    ],
  );
});

test('a fault has its line, and what came before is known', () => {
  const { rows, fault } = readEntityFile('x.jsonl', `${LINES[0]}\n\n{"PartitionKey":"p"}\n`);
  assert.equal(rows.length, 1);
  assert.match(fault ?? '', /^Line 3: .*RowKey.*\.$/);
  assert.match(
    readEntityFile('x.csv', 'PartitionKey,RowKey,n,n@type\np,r,x,Int32\n').fault ?? '',
    /^Line 2: "n": "x" is not an Int32/,
  );
  assert.match(
    readEntityFile('x.csv', 'PartitionKey,RowKey\n"p,r\n').fault ?? '',
    /^A quote in line 2 is not closed\.$/,
  );
  assert.match(readEntityFile('x.csv', '').fault ?? '', /no header/);
});
