// What the compiler prints of mistakes that it refuses: the cause and what to do, as the errors at run time say it. Compiled by the project's own compiler.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ROOT } from '../../support/spawned-server.js';
import { compileByCommand } from '../slow/compile-program.js';

const HEAD = `
import { codec, entity, key, open, t } from '#patterns';
import type { StandardSchema } from '#patterns';
import { change } from '#patterns/bulk';
import { near, remote } from '#patterns/indexes';
import { bags, mixed } from '#patterns/mixed';

const props = {
  list: t.string(), id: t.int32(), title: t.string().optional(), email: t.string(),
  state: t.string().default('open'), notes: t.json(null as unknown as StandardSchema<unknown, { a: number }>),
  photo: t.bytes(), text: t.string().long(),
};
const Task = entity('Task', {
  version: 1, table: 'Tasks', props,
  partition: p => key(p.list), row: p => key('task', p.id.as(codec.int(4))),
  indexes: {
    byEmail: { kind: remote, table: 'ByEmail', partition: p => key(p.email), row: key('e') },
    byTitle: { kind: near, row: p => key('title', p.title) },
    making: { kind: near, row: p => key('making', p.title), state: 'building' },
  },
});
const Once = entity('Once', { version: 1, table: 'Tasks', props: { n: t.int32() }, partition: key('once'), row: key('one') });
const spec = { version: 1, table: 'Tasks', props, partition: key('x'), row: key('x') } as const;
declare const db: import('#patterns').Db;
declare const row: import('#patterns').StoredOf<typeof Task>;
const tasks = db.repo(Task);
const at = { list: 'a', id: 1 };
const ref = { key: at, etag: '*' };
const batch = db.batch(Task, { list: 'a' });
void [Once, spec, open, ref, row, batch, change, bags, mixed];
`;

const OF_KEY = 'Refused<"id is part of a key, and a row cannot change its keys">';
const NO_ROW = 'Refused<"Give a row that was read, or { key, etag }; the ETag * is that of any row">';
const OPTIONAL = 'Refused<"The property is optional, and a part of a key must be there">';
const NO_PART =
  'Refused<"A part of a key is a property that is required and has an order: not filled by the library, Binary, JSON, encrypted or in pieces">';
const NO_CONDITION =
  'Refused<"A condition is on a property that the service can compare: not JSON, encrypted or in pieces">';
const SCAN = 'Refused<"A scan reads many partitions, and has results only behind allowScan(reason)">';

/** Lines that must not compile, and what is printed of each. */
const MISTAKES: { readonly [title: string]: readonly (readonly [line: string, printed: string])[] } = {
  'a part of a key in a patch': [
    ['tasks.merge(row, { id: 2 })', OF_KEY],
    ['tasks.merge(ref, { id: 2 })', OF_KEY],
    ["tasks.merge(row, { list: 'b' })", 'Refused<"list is part of a key'],
    ['batch.merge(Task, row, { id: 2 })', OF_KEY],
    ['change.merge(Task, row, { id: 2 })', OF_KEY],
    ['const patch = { id: 2 }; void tasks.merge(row, patch)', OF_KEY],
  ],
  'a bare key in place of a row': [
    ["tasks.delete({ list: 'a', id: 1 })", NO_ROW],
    ['tasks.delete(at)', NO_ROW],
    ["tasks.merge({ list: 'a', id: 1 }, { title: 'x' })", NO_ROW],
    ["tasks.merge(at, { title: 'x' })", NO_ROW],
    ["tasks.replace({ list: 'a', id: 1 }, row.value)", NO_ROW],
    ["batch.delete(Task, { list: 'a', id: 1 })", NO_ROW],
    ["change.delete(Task, { list: 'a', id: 1 })", NO_ROW],
    ['db.repo(Once).delete({})', "'{}' is not assignable"],
  ],
  'an index read in another way than it is': [
    [
      "tasks.index('byEmail')",
      "Refused<\"The rows of byEmail are remote and may be behind: read it 'verified' or 'index-only'\">",
    ],
    ["tasks.index('byTitle', 'verified')", 'Refused<"The rows of byTitle are never behind'],
    ["tasks.index('making')", 'Refused<"making is being built, and has no queries until it is ready">'],
    ["tasks.index('nothing')", 'Refused<"Task has no index nothing">'],
    ["tasks.index('nothing', 'index-only')", 'Refused<"Task has no index nothing">'],
  ],
  'a scan that is not allowed': [
    ['tasks.scan().take(3)', SCAN],
    ['tasks.scan().stream()', SCAN],
    ["tasks.scan().select('email').take(3)", SCAN],
    ["bags(db, 'Tasks').scan().take(3)", SCAN],
    ['mixed(db, Task, Once).scan().take(3)', SCAN],
  ],
  'a property that is no part of a key': [
    ["entity('E', { ...spec, partition: p => key(p.title) })", OPTIONAL],
    ["entity('E', { ...spec, row: p => key('x', p.id, p.title) })", OPTIONAL],
    ["entity('E', { ...spec, row: p => key(p.title.as(codec.lower)) })", OPTIONAL],
    ["entity('E', { ...spec, row: p => key(p.state) })", NO_PART],
    ["entity('E', { ...spec, row: p => key(p.photo) })", NO_PART],
    ["entity('E', { ...spec, row: p => key(p.notes) })", NO_PART],
    ["entity('E', { ...spec, row: p => key(p.text) })", NO_PART],
    ["entity('E', { ...spec, row: p => key(p.titles) })", NO_PART],
    [
      "entity('E', { ...spec, row: key('e'), indexes: { x: { kind: near, row: p => key('x', p.photo) } } })",
      NO_PART,
    ],
  ],
  'a condition on what the service cannot compare': [
    ["tasks.partition({ list: 'a' }).where(p => p.notes.eq(1))", NO_CONDITION],
    ["tasks.partition({ list: 'a' }).where(p => p.text.eq('a'))", NO_CONDITION],
    ['tasks.scan().where(p => p.notes.a.eq(1))', NO_CONDITION],
  ],
};

/** What the same program may write. */
const RIGHT = [
  "tasks.merge(row, { title: 'x' })",
  'tasks.merge(row, { title: null, state: undefined })',
  "tasks.merge(ref, { title: 'x' })",
  'tasks.merge(ref as never, { title: null })',
  'tasks.delete(row)',
  'tasks.delete(ref)',
  "tasks.deleteIfExists({ key: { list: 'a', id: 1 }, etag: '*' })",
  'tasks.replace(row, row.value)',
  "batch.merge(Task, row, { title: 'x' }).delete(Task, ref)",
  "change.merge(Task, ref, { title: 'x' })",
  "db.repo(Once).delete({ key: {}, etag: '*' })",
  "tasks.index('byEmail', 'index-only')",
  "tasks.index('byTitle')",
  "tasks.scan().allowScan('it is small').take(3)",
  "mixed(db, Task, Once).scan().allowScan('it is small').take(3)",
  "entity('E', { ...spec, row: key('e'), indexes: { x: { kind: near, row: p => key('x', p.title) } } })",
];

describe('the compiler', () => {
  let folder = '';
  let printed: ReadonlyMap<number, string>;
  const lines = [...RIGHT, ...Object.values(MISTAKES).flatMap(each => each.map(([line]) => line))];
  const first = HEAD.split('\n').length;

  before(async () => {
    // Below dist, where the names of packages are those of the project.
    folder = await mkdtemp(join(ROOT, 'dist', 'type-messages-'));
    await writeFile(join(folder, 'program.ts'), `${HEAD}\n${lines.map(line => `{ ${line}; }`).join('\n')}\n`);
    const options = {
      strict: true,
      noEmit: true,
      module: 'nodenext',
      target: 'es2023',
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules', '@types')],
      skipLibCheck: true,
    };
    const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const text = await compileByCommand(compiler, { folder, files: ['program.ts'], options });
    const byLine = new Map<number, string>();
    for (const [, line, message] of text.matchAll(/program\.ts\((\d+),\d+\): ([\s\S]*?)(?=\n\S|$)/g))
      byLine.set(Number(line), `${byLine.get(Number(line)) ?? ''}${message}\n`);
    printed = byLine;
  });
  after(() => rm(folder, { recursive: true }));

  const messageOf = (line: string): string => printed.get(first + 1 + lines.indexOf(line)) ?? '';

  for (const [title, mistakes] of Object.entries(MISTAKES))
    test(`says what is wrong with ${title}`, () => {
      for (const [line, expected] of mistakes) {
        const message = messageOf(line);
        assert(message.includes(expected), `${line}\n${message || 'compiles'}`);
      }
    });

  test('takes what is right', () => {
    for (const line of RIGHT) assert.equal(messageOf(line), '', line);
    assert.deepEqual(
      [...printed.keys()].filter(line => line <= first),
      [],
      [...printed.values()][0],
    );
  });
});
