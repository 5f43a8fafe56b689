// Pages that list something: the map of the design guide has every title of the guide, in the guide's order, and the library's answer to each; the page of errors has a section for each code, with the names of its
// details, and none for others.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../support/spawned-server.js';

/** The guide's titles, without those that each pattern has: context, solution, issues, when to use it, related patterns. */
const TITLES = `
About the Azure Table service
Table partitions
Entity Group Transactions
Capacity considerations
Cost considerations
Guidelines for table design
Design for querying
How your choice of PartitionKey and RowKey impacts query performance
Choosing an appropriate PartitionKey
Optimizing queries for the Table service
Sorting data in the Table service
Design for data modification
Optimizing the performance of insert, update, and delete operations
Ensuring consistency in your stored entities
Ensuring your design for efficient modifications facilitates efficient queries
Encrypting Table Data
Modelling relationships
One-to-many relationships
One-to-one relationships
Join in the client
Inheritance relationships
Table Design Patterns
Intra-partition secondary index pattern
Inter-partition secondary index pattern
Eventually consistent transactions pattern
Index Entities Pattern
Denormalization pattern
Compound key pattern
Log tail pattern
High volume delete pattern
Data series pattern
Wide entities pattern
Large entities pattern
Prepend/append anti-pattern
Log data anti-pattern
Implementation considerations
Retrieving entities
Executing a point query using the Storage Client Library
Retrieving multiple entities using LINQ
Retrieving large numbers of entities from a query
Server-side projection
Modifying entities
Managing concurrency
Merge or replace
Working with heterogeneous entity types
Retrieving heterogeneous entity types
Modifying heterogeneous entity types
Controlling access with Shared Access Signatures
Asynchronous and parallel operations
Credits
`
  .trim()
  .split('\n');

const STATE = /\b(?:done|in part|not yet|yours)\b/i;

const PAGES = join(ROOT, 'docs', 'patterns');
const page = await readFile(join(PAGES, 'guide.md'), 'utf8');
const errors = await readFile(join(PAGES, 'errors.md'), 'utf8');
const source = await readFile(join(ROOT, 'packages', 'patterns', 'values', 'pattern-error.ts'), 'utf8');
const [, details = ''] = /interface PatternErrorDetails \{\n(.*?)\n\}/s.exec(source) ?? [];

test('the map has the titles of the guide in their order', () => {
  const named = [...page.matchAll(/^#{2,3} (.+)$|^- \*(.+?)\*/gm)].map(
    ([, heading, item]) => heading ?? item,
  );
  assert.deepEqual(
    named.filter(title => title !== undefined && TITLES.includes(title)),
    TITLES,
  );
});

test('every pattern and recommendation on the map has a state', () => {
  const [map = ''] = page.split('\n## Where the guide is imprecise');
  const sections = map.split(/^#{2,3} /m).slice(1);
  const silent = sections.filter(section => {
    const [title = '', ...lines] = section.split('\n');
    const text = lines.join('\n').trim();
    return text !== '' && title !== 'Credits' && !STATE.test(text);
  });
  assert.deepEqual(silent, []);
  // A list without a paragraph before it has a state in each item.
  const items = sections.flatMap(
    section => /^.+\n\n(- [\s\S]+)/.exec(section)?.[1]?.trim().split('\n') ?? [],
  );
  assert(items.length > 25);
  assert.deepEqual(
    items.filter(item => !STATE.test(item)),
    [],
  );
});

test('every page opens with what the guide calls its subject', async () => {
  const names = (await readdir(PAGES)).filter(name => name.endsWith('.md') && name !== 'reference.md');
  for (const name of names) {
    const [, opening = ''] = (await readFile(join(PAGES, name), 'utf8')).split('\n\n');
    assert.match(opening, /\bguide\b|\bDesign Guide\b/, name);
  }
});

test('every error code has a section, and every section a code', () => {
  const codes = [...details.matchAll(/^ {2}readonly (\w+):/gm)].map(([, code]) => code);
  const sections = [...errors.matchAll(/^### (\w+)$/gm)].map(([, code]) => code);
  assert(codes.length > 10);
  assert.deepEqual(sections.toSorted(), codes.toSorted());
});

test('sections name the details', () => {
  const drift = /interface Drift extends RowAddress \{\n(.*?)\n\}/s.exec(source)?.[1] ?? '';
  const blocks = details.split(/^ {2}readonly (?=\w+:)/m).slice(1);
  for (const block of blocks) {
    const [code = ''] = block.split(':');
    const isRow = /RowAddress|Drift/.test(block);
    const own = [...(/: Drift/.test(block) ? drift : block).matchAll(/readonly (\w+)\??:/g)].map(
      ([, name = '']) => name,
    );
    const section = errors.split(`### ${code}\n\n`)[1]?.split('. ')[0] ?? '';
    const named = [...section.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
    const expected = [...(isRow ? ['table', 'partitionKey', 'rowKey'] : []), ...own];
    assert.deepEqual(named.toSorted(), expected.toSorted(), code);
  }
});
