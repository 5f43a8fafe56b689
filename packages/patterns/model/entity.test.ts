// The definition of entities: what the compiler infers and refuses, and what is refused when a program starts.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { near } from '../derived/near/near.js';
import { remote } from '../derived/remote/remote.js';
import { codec, entity, type KeyOf, key, type Of, type PartitionOf, part, t } from '../index.js';
import { decodeEntity, encodeEntity, encodePatch, readRow, wireText } from '../internals.js';
import { address, schemaOf } from '../testing/law-entity.js';
import { refuses } from '../testing/refuses.js';
import { same } from '../testing/same-type.js';
import type { RowLead, RowOf } from './definition.js';
import type { KeyDefinition, KeyOn, KeyParts } from './keys/key.js';
import type { PatchOf } from './patch.js';

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
    // @ts-expect-error no such property
    refuses(() => made(p => key('x', p.b)), 'DefinitionInvalid', /part 2 is neither/);
    // @ts-expect-error optional
    refuses(() => made(p => key(p.o)), 'DefinitionInvalid', /optional/);
    // @ts-expect-error JSON
    refuses(() => made(p => key(p.j)), 'DefinitionInvalid', /JSON/);
    // @ts-expect-error bytes
    refuses(() => made(p => key(p.x)), 'DefinitionInvalid', /Binary/);
    // @ts-expect-error a number is not text
    refuses(() => made(p => key(p.n.as(codec.text))), 'DefinitionInvalid', /takes String/);
    // @ts-expect-error no such codec
    refuses(() => made(p => key(p.n.as(codec.nothing))), 'DefinitionInvalid', /no codec/);
    // @ts-expect-error a part is no key
    refuses(() => made(p => p.n), 'DefinitionInvalid', /not a key/);
  });
});

describe('a definition', () => {
  const define =
    (spec: object, name = 'E') =>
    () =>
      entity(name, {
        version: 1,
        table: 'Tab',
        props: { a: t.string() },
        partition: key('p'),
        row: key('r'),
        ...spec,
      });

  test('is refused by what is wrong with it', () => {
    refuses(define({}, 'a.b'), 'DefinitionInvalid', /named by letters/);
    for (const table of ['ab', 'a'.repeat(64), '1ab', 'a-b', 'Tables'])
      refuses(define({ table }), 'DefinitionInvalid', /table may have/);
    for (const table of ['abc', 'a'.repeat(63)]) assert(define({ table })());
    for (const version of [0, 1.5, -1])
      refuses(define({ version }), 'DefinitionInvalid', /whole number from 1/);
    refuses(
      define({ version: 3, upcast: { 1: (old: object) => old } }),
      'DefinitionInvalid',
      /from version 2 to 3/,
    );
    refuses(define({ upcast: { 1: (old: object) => old } }), 'DefinitionInvalid', /not an earlier version/);
  });

  test('has names that the table may have', () => {
    for (const name of ['PartitionKey', 'RowKey', 'Timestamp'])
      refuses(define({ props: { [name]: t.string() } }), 'DefinitionInvalid', /keeps for itself/);
    for (const name of ['', 'a-b', '1a', 'a b', 'a.b']) {
      refuses(define({ props: { x: t.string().stored(name) } }), 'DefinitionInvalid', /not a name/);
      refuses(define({ tag: name }), 'DefinitionInvalid', /not a name/);
    }
    refuses(
      define({ props: { a: t.string(), b: t.string().stored('a') } }),
      'DefinitionInvalid',
      /two properties are called a/,
    );
    refuses(
      define({ props: { EntityType: t.string() } }),
      'DefinitionInvalid',
      /two properties are called EntityType/,
    );
    assert(define({ props: { EntityType: t.string() }, tag: false })());
    for (const length of [254, 255]) assert(define({ props: { ['x'.repeat(length)]: t.string() } })());
    refuses(define({ props: { ['x'.repeat(256)]: t.string() } }), 'DefinitionInvalid', /not a name/);
    assert(define({ props: { été: t.string() } })());
  });

  test('has none of the names that the library marks rows by', () => {
    for (const name of ['_moved', '_moving', '_reserved', '_source']) {
      const reason = new RegExp(`E: ${name} is a name that this library keeps for itself`);
      refuses(define({ props: { [name]: t.string() } }), 'DefinitionInvalid', reason);
      refuses(define({ props: { [name]: t.string().optional() } }), 'DefinitionInvalid', reason);
      refuses(define({ props: { a: t.int64().stored(name) } }), 'DefinitionInvalid', reason);
      refuses(define({ props: { [name]: t.string().long() } }), 'DefinitionInvalid', reason);
      refuses(define({ tag: name }), 'DefinitionInvalid', reason);
      assert(define({ props: { [name]: t.string().stored(`own${name}`) } })());
      assert(define({ props: { [`${name}s`]: t.string(), [name.toUpperCase()]: t.string() } })());
    }
    refuses(define({ tag: 'RowKey' }), 'DefinitionInvalid', /the service keeps for itself/);
  });

  test('has up to 252 stored properties with its tag', () => {
    const props = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, t.string()]));
    for (const count of [250, 251]) assert(define({ props: props(count) })());
    refuses(define({ props: props(252) }), 'DefinitionInvalid', /253 properties/);
    assert(define({ props: props(252), tag: false })());
    // What the keys give back is not stored.
    assert(define({ props: props(252), row: key(part('p0')) })());
  });

  test('warns of partitions that follow time', () => {
    const at = entity('Log', {
      version: 1,
      table: 'Log',
      props: { at: t.instant() },
      partition: p => key(p.at.as(codec.timeDesc)),
      row: key('r'),
    });
    assert.match(at.warnings.join(), /begins with time: all new rows go to one end/);
    const counted = entity('Log', {
      version: 1,
      table: 'Log',
      props: { n: t.int32() },
      partition: p => key('log', p.n.as(codec.int(9))),
      row: key('r'),
    });
    assert.match(counted.warnings.join(), /if numbers are given out in order/);
    const tail = entity('Log', {
      version: 1,
      table: 'Log',
      props: { at: t.instant(), id: t.guid() },
      partition: key('log'),
      row: p => key('entry', p.at.as(codec.timeDesc), p.id),
    });
    assert.match(tail.warnings.join(), /Log\.row begins with time, in a partition that all rows share/);
    const spread = entity('Log', {
      version: 1,
      table: 'Log',
      props: { at: t.instant(), id: t.guid() },
      partition: p => key(p.id.as(codec.hash(16)), p.at),
      row: key('r'),
    });
    assert.deepEqual(spread.warnings, []);
  });
});

describe('warnings of a definition', () => {
  const props = { id: t.guid(), kind: t.string(), n: t.int32(), at: t.instant(), made: t.created() };
  const define = (spec: object): readonly string[] =>
    entity('Log', {
      version: 1,
      table: 'Log',
      props,
      partition: p => key(p.kind),
      row: p => key('log', p.id),
      ...spec,
    }).warnings;
  type Parts = KeyParts<typeof props>;

  test('tell of time anywhere in the row key of a partition that all rows share', () => {
    const shared = { partition: key('all') };
    for (const row of [
      (p: Parts) => key(p.at),
      (p: Parts) => key('log', p.at, p.id),
      (p: Parts) => key('log', p.id, p.at),
      (p: Parts) => key('log', p.kind, p.at.as(codec.timeDesc), p.id),
    ]) {
      const [warning, ...others] = define({ ...shared, row });
      assert.match(warning ?? '', /^Log\.row (begins with|has) time, in a partition that all rows share/);
      assert.deepEqual(others, []);
      assert.deepEqual(define({ row }), []);
    }
    assert.deepEqual(define(shared), []);
    assert.deepEqual(define({ ...shared, row: (p: Parts) => key('log', p.n) }), []);
    assert.deepEqual(define({ ...shared, row: (p: Parts) => key('log', p.at.as(codec.hash(4))) }), []);
  });

  test('tell the same of its indexes, by their names', () => {
    const far = (partition: unknown, row: unknown) => ({
      indexes: { byDate: { kind: remote, table: 'ByDate', partition, row } },
    });
    const begins = define(far(key('all'), (p: Parts) => key(p.at)));
    assert.match(begins.join(), /^Log\.byDate\.row begins with time, in a partition that all rows share/);
    const has = define(far(key('all'), (p: Parts) => key(p.kind, p.at.as(codec.timeDesc))));
    assert.match(has.join(), /^Log\.byDate\.row has time/);
    const first = define(far((p: Parts) => key(p.at), key('x')));
    assert.match(first.join(), /^Log\.byDate\.partition begins with time: all new rows go to one end/);
    const counted = define(far((p: Parts) => key('n', p.n), key('x')));
    assert.match(counted.join(), /^Log\.byDate\.partition begins with a number/);
    assert.deepEqual(
      define(
        far(
          (p: Parts) => key(p.kind),
          (p: Parts) => key(p.at),
        ),
      ),
      [],
    );
    assert.deepEqual(define(far(key('all'), (p: Parts) => key(p.kind))), []);
    // The keys of the entity's row stand behind those of the index, which does not name them.
    const timed = { partition: (p: Parts) => key(p.kind), row: (p: Parts) => key('log', p.at) };
    assert.deepEqual(define({ ...timed, ...far(key('all'), (p: Parts) => key(p.id)) }), []);
    const indexed = { indexes: { byDate: { kind: near, row: (p: Parts) => key('at', p.at) } } };
    assert.deepEqual(define(indexed), []);
    assert.match(define({ ...indexed, partition: key('all') }).join(), /^Log\.byDate\.row begins with time/);
    assert.equal(define({ ...indexed, partition: (p: Parts) => key(p.n) }).length, 1);
  });

  test('tell of names that the official client has for itself', () => {
    for (const name of ['partitionKey', 'rowKey', 'timestamp', 'etag']) {
      const called = new RegExp(`^Log has a property ${name} in the table`);
      const warned = (own: object): string => define({ props: { ...props, ...own } }).join('\n');
      assert.match(warned({ [name]: t.string() }), called);
      assert.match(warned({ [name]: t.string().optional() }), called);
      assert.match(warned({ own: t.int32().stored(name) }), called);
      assert.match(define({ tag: name }).join(), called);
      assert.equal(warned({ [name]: t.string().stored(`own_${name}`) }), '');
      assert.equal(warned({ [name.toUpperCase()]: t.string(), [`${name}s`]: t.string() }), '');
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

  test('is JSON that its schema accepts', () => {
    const Doc = entity('Doc', {
      version: 1,
      table: 'Doc',
      props: { home: t.json(address) },
      partition: key('p'),
      row: key('r'),
    });
    const encode = (home: unknown) => () => encodeEntity(Doc, { home: home as never });
    refuses(encode({ street: 5 }), 'ValueInvalid', /street: should be a string/);
    refuses(
      encode(() => 1),
      'ValueInvalid',
      /JSON cannot hold it/,
    );
    refuses(encode({ street: 1n }), 'ValueInvalid', /BigInt/);
    const loop: { street: string; self?: unknown } = { street: 'a' };
    loop.self = loop;
    refuses(encode(loop), 'ValueInvalid', /circular/);
    assert(encode({ street: 'Elm' })());
    const Maybe = entity('Maybe', {
      version: 1,
      table: 'Maybe',
      props: { a: t.json(schemaOf<number | null>(() => undefined)) },
      partition: key('p'),
      row: key('r'),
    });
    const text = wireText(encodeEntity(Maybe, { a: null }));
    assert.deepEqual(decodeEntity(Maybe, readRow(text)).value, { a: null });
  });

  test('is what its check leaves as it is', () => {
    const check = (validate: (value: unknown) => unknown) => () =>
      encodeEntity(
        entity('C', {
          version: 1,
          table: 'Tab',
          props: {
            a: t.string().check({ '~standard': { version: 1, vendor: 'x', validate: validate as never } }),
          },
          partition: key('p'),
          row: key('r'),
        }),
        { a: ' a ' as never },
      );
    assert(check(value => ({ value }))());
    refuses(
      check(value => ({ value: String(value).trim() })),
      'ValueInvalid',
      /would become another value/,
    );
    refuses(
      check(() => ({ issues: [{ message: 'no' }] })),
      'ValueInvalid',
      /no/,
    );
    refuses(
      check(async value => ({ value })),
      'ValueInvalid',
      /at once/,
    );
    refuses(
      check(() => Promise.reject(new Error('x'))),
      'ValueInvalid',
      /at once/,
    );
  });

  test('may be changed in part, but not in its keys', () => {
    assert.deepEqual(
      encodePatch(Review, { score: 2, note: undefined }).map(({ name, literal }) => [name, literal]),
      [['score', '2.0']],
    );
    refuses(() => encodePatch(Review, { id: 2 }), 'ValueInvalid', /part of a key/);
    refuses(() => encodePatch(Review, { typo: 2 }), 'ValueInvalid', /would be lost/);
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
