// The definition of entities: what the compiler infers and refuses, and what is refused when a program starts.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { near } from '../derived/near/near.js';
import { remote } from '../derived/remote/remote.js';
import {
  codec,
  entity,
  type KeyOf,
  key,
  type Of,
  type PartitionOf,
  type Property,
  part,
  remove,
  t,
} from '../index.js';
import { decodeEntity, encodeEntity, encodePatch, readRow, wireText } from '../internals.js';
import { address, schemaOf } from '../testing/law-entity.js';
import { refuses, refusesDefinition } from '../testing/refuses.js';
import { same } from '../testing/same-type.js';
import type { RowLead, RowOf } from './definition.js';
import type { KeyDefinition, KeyOn, KeyParts } from './keys/key.js';
import { type PatchOf, readPatch } from './patch.js';

const Named = { created: t.instant(), note: t.string().optional() };

const Review = entity('Review', {
  version: 1,
  table: 'Staff',
  props: {
    ...Named,
    department: t.string(),
    id: t.int32(),
    year: t.int32(),
    score: t.double(),
    state: t.string().check(schemaOf<'open' | 'shut'>(() => undefined)),
    home: t.json(address).optional(),
  },
  partition: p => key(p.department),
  row: p => key('rev', p.id.as(codec.int(6)), p.year.as(codec.int(4))),
});
type Review = Of<typeof Review>;

describe('types', () => {
  test('are inferred', () => {
    same<Review['department'], string>(true);
    same<Review['state'], 'open' | 'shut'>(true);
    same<Review['note'], string | undefined>(true);
    same<KeyOf<typeof Review>, { readonly department: string; readonly id: number; readonly year: number }>(
      true,
    );
    same<PartitionOf<typeof Review>, { readonly department: string }>(true);
    same<RowOf<typeof Review>, { readonly id: number; readonly year: number }>(true);
    same<keyof PatchOf<typeof Review>, 'created' | 'note' | 'score' | 'state' | 'home'>(true);
    const leads: RowLead<typeof Review>[] = [{}, { id: 1 }, { id: 1, year: 2 }];
    // @ts-expect-error year is not a leading part
    leads.push({ year: 1 });
    const patch: PatchOf<typeof Review> = { score: 1, note: null };
    // @ts-expect-error a property of a key does not change
    const move: PatchOf<typeof Review> = { id: 2 };
    // @ts-expect-error score is required
    const missing = (): unknown => encodeEntity(Review, { department: 'a', id: 1, year: 2 });
    assert.deepEqual(
      [leads.length, patch, move, missing.name],
      [4, { score: 1, note: null }, { id: 2 }, 'missing'],
    );
  });

  test('of key parts are those of required properties that the service can compare', () => {
    const props = {
      a: t.string(),
      n: t.int32(),
      o: t.string().optional(),
      j: t.json(address),
      x: t.bytes(),
      s: t.string().check(schemaOf<'x' | 'y'>(() => undefined)),
    };
    const define = <PK extends KeyOn<typeof props>>(partition: PK): unknown =>
      entity('E', { version: 1, table: 'Tab', props, partition, row: key('r') });
    // @ts-expect-error no such property
    refuses(() => define(key(part('b'))), 'DefinitionInvalid', /not one/);
    // @ts-expect-error optional
    refuses(() => define(key(part('o'))), 'DefinitionInvalid', /optional/);
    // @ts-expect-error JSON
    refuses(() => define(key(part('j'))), 'DefinitionInvalid', /JSON/);
    // @ts-expect-error bytes
    refuses(() => define(key(part('x'))), 'DefinitionInvalid', /Binary/);
    // @ts-expect-error a number is not text
    refuses(() => define(key(part('n', codec.text))), 'DefinitionInvalid', /takes String/);
    assert(define(key(part('s', codec.text))));
    assert(define(key('x', part('n', codec.hash(4)), part('a'))));
    const made = (partition: KeyDefinition<typeof props, KeyOn<typeof props>>): string =>
      entity('E', { version: 1, table: 'Tab', props, partition, row: key('r') }).plan.partition.names.join();
    assert.equal(
      made(p => key('x', p.n.as(codec.hash(4)), p.s)),
      'n,s',
    );
    // type-messages.test.ts has what else the compiler refuses of these.
    // @ts-expect-error no such property
    refuses(() => made(p => key('x', p.b)), 'DefinitionInvalid', /part 2 is neither/);
    // @ts-expect-error a number is not text
    refuses(() => made(p => key(p.n.as(codec.text))), 'DefinitionInvalid', /takes String/);
    // @ts-expect-error no such codec
    refuses(() => made(p => key(p.n.as(codec.nothing))), 'DefinitionInvalid', /no codec/);
    // @ts-expect-error a part is no key
    refuses(() => made(p => p.n), 'DefinitionInvalid', /not a key/);
  });
});

describe('a definition', () => {
  const define = (spec: object, name = 'E') =>
    entity(name, {
      version: 1,
      table: 'Tab',
      props: { a: t.string() },
      partition: key('p'),
      row: key('r'),
      ...spec,
    });
  const of = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, each) => [`p${each}`, t.string()]));
  const upcast = { 1: (old: object) => old };
  const MARKS = ['_moved', '_moving', '_reserved', '_source'];

  test('is refused by what is wrong with it', () => {
    const refused: readonly (readonly [object, RegExp, name?: string])[] = [
      [{}, /named by letters/, 'a.b'],
      ...['ab', 'a'.repeat(64), '1ab', 'a-b', 'Tables'].map(table => [{ table }, /table may have/] as const),
      ...[0, 1.5, -1].map(version => [{ version }, /whole number from 1/] as const),
      [{ version: 3, upcast }, /from version 2 to 3/],
      [{ upcast }, /not an earlier version/],
      ...['PartitionKey', 'RowKey', 'Timestamp'].flatMap(name => [
        [{ props: { [name]: t.string() } }, /the service keeps for itself/] as const,
        [{ tag: name }, /the service keeps for itself/] as const,
      ]),
      ...['', 'a-b', '1a', 'a b', 'a.b', 'x'.repeat(256)].flatMap(name => [
        [{ props: { x: t.string().stored(name) } }, /not a name/] as const,
        [{ tag: name }, /not a name/] as const,
      ]),
      [{ props: { a: t.string(), b: t.string().stored('a') } }, /two properties are called a/],
      [{ props: { EntityType: t.string() } }, /two properties are called EntityType/],
      [{ props: of(252) }, /253 properties/],
      ...MARKS.flatMap(name => {
        const reason = new RegExp(`E: ${name} is a name that this library keeps for itself`);
        return [
          { props: { [name]: t.string().optional() } },
          { props: { a: t.int64().stored(name) } },
          { props: { [name]: t.string().long() } },
          { tag: name },
        ].map(spec => [spec, reason] as const);
      }),
    ];
    for (const [spec, reason, name] of refused) refusesDefinition(() => define(spec, name), reason);
  });

  test('is taken up to its limits', () => {
    for (const spec of [
      ...['abc', 'a'.repeat(63)].map(table => ({ table })),
      { props: { EntityType: t.string() }, tag: false },
      ...[254, 255].map(length => ({ props: { ['x'.repeat(length)]: t.string() } })),
      { props: { été: t.string() } },
      // With its tag, 252 stored properties.
      ...[250, 251].map(count => ({ props: of(count) })),
      { props: of(252), tag: false },
      // What the keys give back is not stored.
      { props: of(252), row: key(part('p0')) },
      ...MARKS.map(name => ({ props: { [name]: t.string().stored(`own${name}`) } })),
      ...MARKS.map(name => ({ props: { [`${name}s`]: t.string(), [name.toUpperCase()]: t.string() } })),
    ])
      assert(define(spec));
  });
});

describe('warnings of a definition', () => {
  const props = { id: t.guid(), kind: t.string(), n: t.int32(), at: t.instant(), made: t.created() };
  type Parts = KeyParts<typeof props>;
  const define = (spec: object): readonly string[] =>
    entity('Log', {
      version: 1,
      table: 'Log',
      props,
      partition: p => key(p.kind),
      row: p => key('log', p.id),
      ...spec,
    }).warnings;
  const shared = { partition: key('all') };
  const far = (partition: unknown, row: unknown) => ({
    indexes: { byDate: { kind: remote, table: 'ByDate', partition, row } },
  });
  const indexed = { indexes: { byDate: { kind: near, row: (p: Parts) => key('at', p.at) } } };

  /** Each has the one warning that is named, or none. */
  const CASES: readonly (readonly [string, object, RegExp?])[] = [
    [
      'a partition of time',
      { partition: (p: Parts) => key(p.at.as(codec.timeDesc)) },
      /^Log\.partition begins with time: all new rows go to one end/,
    ],
    [
      'a partition of numbers',
      { partition: (p: Parts) => key('log', p.n.as(codec.int(9))) },
      /if numbers are given out in order/,
    ],
    ['time behind a hash', { partition: (p: Parts) => key(p.id.as(codec.hash(16)), p.at) }],
    ['a shared partition', shared],
    ['numbers in one', { ...shared, row: (p: Parts) => key('log', p.n) }],
    ['a hash of time in one', { ...shared, row: (p: Parts) => key('log', p.at.as(codec.hash(4))) }],
    ...[
      (p: Parts) => key(p.at),
      (p: Parts) => key('log', p.at, p.id),
      (p: Parts) => key('log', p.id, p.at),
      (p: Parts) => key('log', p.kind, p.at.as(codec.timeDesc), p.id),
    ].flatMap(row => [
      [
        `time in one: ${row}`,
        { ...shared, row },
        /^Log\.row (begins with|has) time, in a partition that all rows share/,
      ] as const,
      [`time elsewhere: ${row}`, { row }] as const,
    ]),
    [
      'an index that begins with time',
      far(key('all'), (p: Parts) => key(p.at)),
      /^Log\.byDate\.row begins with time, in a partition that all rows share/,
    ],
    [
      'an index that has time',
      far(key('all'), (p: Parts) => key(p.kind, p.at.as(codec.timeDesc))),
      /^Log\.byDate\.row has time/,
    ],
    [
      'partitions of an index by time',
      far((p: Parts) => key(p.at), key('x')),
      /^Log\.byDate\.partition begins with time: all new rows go to one end/,
    ],
    [
      'partitions of an index by number',
      far((p: Parts) => key('n', p.n), key('x')),
      /^Log\.byDate\.partition begins with a number/,
    ],
    [
      'an index in many partitions',
      far(
        (p: Parts) => key(p.kind),
        (p: Parts) => key(p.at),
      ),
    ],
    ['an index without time', far(key('all'), (p: Parts) => key(p.kind))],
    // The keys of the entity's row stand behind those of the index, which does not name them.
    [
      'time in the row behind an index',
      { row: (p: Parts) => key('log', p.at), ...far(key('all'), (p: Parts) => key(p.id)) },
    ],
    ['a near index in many partitions', indexed],
    ['a near index in a shared partition', { ...indexed, ...shared }, /^Log\.byDate\.row begins with time/],
    [
      'a near index in partitions of numbers',
      { ...indexed, partition: (p: Parts) => key(p.n) },
      /^Log\.partition begins with a number/,
    ],
  ];
  for (const [name, spec, reason] of CASES)
    test(`${reason ? 'are given' : 'are not given'} for ${name}`, () => {
      const [warning = '', ...others] = define(spec);
      assert.match(warning, reason ?? /^$/);
      assert.deepEqual(others, []);
    });

  test('tell of names that the official client has for itself', () => {
    for (const name of ['partitionKey', 'rowKey', 'timestamp', 'etag']) {
      const called = new RegExp(`^Log has a property ${name} in the table`);
      const warned = (own: object): string => define({ props: { ...props, ...own } }).join('\n');
      for (const text of [
        warned({ [name]: t.string() }),
        warned({ own: t.int32().stored(name) }),
        define({ tag: name }).join(),
      ])
        assert.match(text, called);
      assert.equal(
        warned({ [name]: t.string().stored(`own_${name}`), [name.toUpperCase()]: t.string() }),
        '',
      );
    }
    assert.equal(define({ props: { ...props, etag: t.string(), rowKey: t.string() } }).length, 2);
  });
});

describe('a value', () => {
  const review: Review = {
    department: 'Sales',
    id: 1,
    year: 2012,
    score: 4,
    state: 'open',
    created: Review.props.created['~value'] as never,
  };

  test('has all that it needs and nothing else', () => {
    refuses(() => encodeEntity(Review, review), 'ValueInvalid', /created should be DateTime: it is missing/);
    const extra = { ...review, typo: 1 };
    refuses(() => encodeEntity(Review, extra), 'ValueInvalid', /typo.*would be lost/);
  });

  const single = (a: Property) =>
    entity('Single', { version: 1, table: 'Tab', props: { a }, partition: key('p'), row: key('r') });

  test('is JSON that its schema accepts', () => {
    const encode = (home: unknown) => encodeEntity(single(t.json(address)), { a: home as never });
    assert(encode({ street: 'Elm' }));
    const loop: { street: string; self?: unknown } = { street: 'a' };
    loop.self = loop;
    for (const [home, reason] of [
      [{ street: 5 }, /street: should be a string/],
      [() => 1, /JSON cannot hold it/],
      [{ street: 1n }, /BigInt/],
      [loop, /circular/],
    ] as const)
      refuses(() => encode(home), 'ValueInvalid', reason);
    const Maybe = single(t.json(schemaOf<number | null>(() => undefined)));
    const text = wireText(encodeEntity(Maybe, { a: null }));
    assert.deepEqual(decodeEntity(Maybe, readRow(text)).value, { a: null });
  });

  test('is what its check leaves as it is, at once', () => {
    const encode = (validate: (value: unknown) => unknown) =>
      encodeEntity(
        single(t.string().check({ '~standard': { version: 1, vendor: 'x', validate: validate as never } })),
        {
          a: ' a ',
        },
      );
    assert(encode(value => ({ value })));
    for (const [validate, reason] of [
      [(value: unknown) => ({ value: String(value).trim() }), /would become another value/],
      [() => ({ issues: [{ message: 'no' }] }), /no/],
      [async (value: unknown) => ({ value }), /at once/],
      [() => Promise.reject(new Error('x')), /at once/],
    ] as const)
      refuses(() => encode(validate), 'ValueInvalid', reason);
  });

  test('may be changed in part, but not in its keys', () => {
    assert.deepEqual(
      encodePatch(Review, { score: 2, note: undefined }).map(({ name, literal }) => [name, literal]),
      [['score', '2.0']],
    );
    refuses(() => encodePatch(Review, { id: 2 }), 'ValueInvalid', /part of a key/);
    for (const typo of [2, null, remove])
      refuses(() => readPatch(Review, { typo }), 'ValueInvalid', /typo.*would be lost/);
    assert.deepEqual(readPatch(Review, { score: 2, note: null, typo: undefined }), {
      set: { score: 2 },
      removed: ['note'],
    });
  });

  test('keeps the schema of a table that has no tags', () => {
    const Foreign = entity('Foreign', {
      version: 1,
      table: 'Tab',
      props: { k: t.string(), n: t.int32().stored('N') },
      tag: false,
      partition: key('p'),
      row: p => key(p.k.as(codec.exact)),
    });
    const text = wireText(encodeEntity(Foreign, { k: 'a b', n: 1 }));
    assert.equal(text, '{"PartitionKey":"p","RowKey":"a b","N":1}');
    assert.deepEqual(decodeEntity(Foreign, readRow(text)).value, { k: 'a b', n: 1 });
  });
});
