// Answers with entities against a simple rendering of their properties, on random rows, levels and projections.
// The rendering follows the protocol member by member (protocol: json, queries#projection) and shares no code with the writer of entities.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DATE_TIME_MAX, releaseBuffer } from '#base';
import { codePoint } from '#base/testing';
import { randomRuns } from '#base/testing/random-runs';
import { inPlace, type Row } from '#store';
import { type EdmValue, encodeEntity, formatLiteral, type Property } from '#tables';
import type { MetadataLevel, ResponseFormat } from '../answer.js';
import { EntityList, formatOutcome } from '../format-outcome.js';

const BASE = { endpoint: 'http://127.0.0.1:10002/acc', account: 'acc', resource: { table: 'Table' } };
const PLAIN: ResponseFormat = { level: 'nometadata', select: undefined, selectSuffix: '', prefer: undefined };

interface Entity {
  readonly partition: string;
  readonly key: string;
  readonly version: bigint;
  readonly properties: readonly Property[];
}

const keyText = fc.oneof(
  fc.constantFrom('', 'p', 'p000000', "it's ''", 'a"b\\c', 'é', '名前', '\u{1f600}', 'a b%20', '\t\u007f'),
  fc.stringMatching(/^[A-Za-z0-9_.!~*()-]{0,12}$/),
);
const text = fc.oneof(
  fc.constantFrom('', '"', '\\', 'é😀', 'x'.repeat(3000)),
  fc.string({ unit: codePoint }),
);
const dateTime = fc.bigInt({ min: 0n, max: DATE_TIME_MAX });
const value: fc.Arbitrary<EdmValue> = fc.oneof(
  fc.record({ type: fc.constant('Edm.String'), value: text }),
  fc.record({ type: fc.constant('Edm.Int32'), value: fc.integer() }),
  fc.record({ type: fc.constant('Edm.Int64'), value: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }) }),
  fc.record({ type: fc.constant('Edm.Double'), value: fc.double() }),
  fc.record({ type: fc.constant('Edm.Boolean'), value: fc.boolean() }),
  fc.record({ type: fc.constant('Edm.DateTime'), value: dateTime }),
  fc.record({ type: fc.constant('Edm.Guid'), value: fc.uuid() }),
  fc.record({ type: fc.constant('Edm.Binary'), value: fc.uint8Array().map(bytes => Buffer.from(bytes)) }),
);
// Few names, so that projections match them, entities share them, and one position has several types.
const NAMES = ['a', 'b', 'Ab', 'été', '__proto__', 'x'.repeat(70)];
const name = fc.constantFrom(...NAMES);
const properties = fc.uniqueArray(
  fc.tuple(name, value).map(([of, held]): Property => ({ name: of, ...held })),
  { selector: property => property.name },
);

/** Close together or far apart: whole seconds, neighbours, equal times. */
const version = fc.oneof(
  fc.constantFrom(0n, 17_600_000_000_000_000n, 17_600_000_000_000_001n, 17_600_000_009_999_999n),
  fc.bigInt({ min: 17_600_000_000_000_000n, max: 17_600_000_030_000_000n }),
  dateTime,
);
const entity: fc.Arbitrary<Entity> = fc.record({ partition: keyText, key: keyText, version, properties });
/** As in a page, neighbours often share partition and version. */
const entities = fc.array(fc.tuple(entity, fc.boolean()), { maxLength: 12 }).map(all =>
  all.map(([of, isAlike], i) => {
    const { partition, version: ticks } = all[i - 1]?.[0] ?? of;
    return isAlike ? { ...of, partition, version: ticks } : of;
  }),
);

const level = fc.constantFrom<MetadataLevel>('nometadata', 'minimalmetadata', 'fullmetadata');
const select = fc.option(
  fc.array(fc.oneof(name, fc.constantFrom('PartitionKey', 'RowKey', 'Timestamp', 'missing', 'nö')), {
    maxLength: 6,
  }),
  { nil: undefined },
);
const format = fc.record({ level, select }).map(
  (of): ResponseFormat => ({
    ...of,
    selectSuffix: of.select ? `&$select=${of.select.join(',')}` : '',
    prefer: undefined,
  }),
);

const json = (of: string): string =>
  JSON.stringify(of).replace(/[^\x20-\x7e]/g, unit => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });

/** The calendar is `Date`'s here; its milliseconds have three digits of the seven. */
function timeOf(ticks: bigint): string {
  const second = new Date(Number((ticks / 10_000_000n) * 1000n)).toISOString().slice(0, -5);
  const fraction = String(ticks % 10_000_000n)
    .padStart(7, '0')
    .replace(/0+$/, '');
  return `${second}${fraction && '.'}${fraction}Z`;
}

const urlKey = (of: string): string => encodeURIComponent(of.replaceAll("'", "''"));

/** Members in order; a value is JSON already. */
type Member = readonly [name: string, value: string];

function controlOf(of: Entity, at: MetadataLevel): Member[] {
  const etag: Member = ['odata.etag', json(`W/"datetime'${timeOf(of.version).replaceAll(':', '%3A')}'"`)];
  if (at === 'nometadata') return [];
  if (at === 'minimalmetadata') return [etag];
  const path = `${BASE.resource.table}(PartitionKey='${urlKey(of.partition)}',RowKey='${urlKey(of.key)}')`;
  return [
    ['odata.type', `"${BASE.account}.${BASE.resource.table}"`],
    ['odata.id', json(`${BASE.endpoint}/${path}`)],
    etag,
    ['odata.editLink', json(path)],
  ];
}

const ALWAYS_TYPED: ReadonlySet<string> = new Set(['Edm.Int64', 'Edm.DateTime', 'Edm.Guid', 'Edm.Binary']);

function membersOf(of: Entity, { level: at, select: names }: ResponseFormat): Member[] {
  const takes = (wanted: string): boolean => names?.includes(wanted) ?? true;
  const members = controlOf(of, at);
  if (takes('PartitionKey')) members.push(['PartitionKey', json(of.partition)]);
  if (takes('RowKey')) members.push(['RowKey', json(of.key)]);
  if (takes('Timestamp')) {
    if (at === 'fullmetadata') members.push(['Timestamp@odata.type', '"Edm.DateTime"']);
    members.push(['Timestamp', json(timeOf(of.version))]);
  }
  for (const property of of.properties.filter(each => takes(each.name))) {
    const isOdd = property.type === 'Edm.Double' && !Number.isFinite(property.value);
    if (at !== 'nometadata' && (isOdd || ALWAYS_TYPED.has(property.type)))
      members.push([`${property.name}@odata.type`, json(property.type)]);
    members.push([property.name, formatLiteral(property)]);
  }
  const present = new Set(['PartitionKey', 'RowKey', 'Timestamp', ...of.properties.map(each => each.name)]);
  for (const missing of new Set(names)) if (!present.has(missing)) members.push([missing, 'null']);
  return members;
}

const objectOf = (members: readonly Member[]): string =>
  `{${members.map(([of, held]) => `${json(of)}:${held}`).join(',')}}`;

const metadataOf = (of: string, at: MetadataLevel): Member[] =>
  at === 'nometadata' ? [] : [['odata.metadata', json(`${BASE.endpoint}/$metadata#${of}`)]];

const rowOf = ({ properties: held, ...rest }: Entity): Row => ({ ...rest, value: encodeEntity(held) });

test('a page equals the simple rendering', () => {
  fc.assert(
    fc.property(entities, format, (page, asked) => {
      const answer = formatOutcome(
        { kind: 'entities', rows: page.map(rowOf), next: undefined, examined: page.length },
        BASE,
        asked,
      );
      const listed = `[${page.map(of => objectOf(membersOf(of, asked))).join(',')}]`;
      const first = metadataOf(`${BASE.resource.table}${asked.selectSuffix}`, asked.level);
      assert.equal(answer.body?.toString('latin1'), objectOf([...first, ['value', listed]]));
    }),
    { numRuns: randomRuns(2_000) },
  );
});

test('an entity alone equals the simple rendering', () => {
  fc.assert(
    fc.property(entity, format, (of, asked) => {
      const answer = formatOutcome({ kind: 'entity', row: rowOf(of) }, BASE, asked);
      const first = metadataOf(`${BASE.resource.table}/@Element${asked.selectSuffix}`, asked.level);
      assert.ok(answer.isAscii);
      assert.match(String(answer.body), /^[\0-\x7f]*$/);
      assert.equal(answer.body?.toString('latin1'), objectOf([...first, ...membersOf(of, asked)]));
      // An insert returns the whole entity, whatever was selected.
      const whole = { ...asked, select: undefined };
      const inserted = formatOutcome({ kind: 'inserted', row: rowOf(of) }, BASE, asked);
      const element = metadataOf(`${BASE.resource.table}/@Element`, asked.level);
      assert.equal(inserted.body?.toString('latin1'), objectOf([...element, ...membersOf(of, whole)]));
    }),
    { numRuns: randomRuns(2_000) },
  );
});

/** Rows of very different lengths. */
const UNEVEN = [[0, 30_000, 30_000, 30_000], [30_000, 0, 30_000, 30_000], [100_000, 0], [65_000]];

test('pages of uneven rows, as text or as bytes, equal the simple rendering', () => {
  for (const lengths of UNEVEN) {
    const page = lengths.map((length, i): Entity => {
      const long: Property = { name: 'a', type: 'Edm.String', value: 'x'.repeat(length) };
      const short: Property = { name: 'b', type: 'Edm.Int64', value: BigInt(i) };
      return { partition: 'p', key: `${i}`, version: 1n, properties: length === 0 ? [] : [short, long] };
    });
    for (const at of ['nometadata', 'minimalmetadata', 'fullmetadata'] as const) {
      for (const names of [undefined, ['RowKey'], ['a']]) {
        const asked: ResponseFormat = { level: at, select: names, selectSuffix: '', prefer: undefined };
        const outcome = { kind: 'entities', rows: page.map(rowOf), next: undefined, examined: 0 } as const;
        const { body = '' } = formatOutcome(outcome, BASE, asked);
        const listed = `[${page.map(of => objectOf(membersOf(of, asked))).join(',')}]`;
        const expected = objectOf([...metadataOf(BASE.resource.table, at), ['value', listed]]);
        assert.ok(body.toString('latin1') === expected, `${lengths} ${at} ${names}`);
        const isLong = names === undefined && lengths[0] !== 65_000;
        if (names?.[0] !== 'a') assert.equal(Buffer.isBuffer(body), isLong, `${lengths} ${at} ${names}`);
      }
    }
  }
});

test('pages that are written concurrently, and later ones, do not mix', () => {
  const lists = Array.from({ length: 20 }, () => new EntityList(BASE, PLAIN));
  const entityOf = (list: number, place: number): Entity => ({
    partition: `p${list}`,
    key: `${place}`,
    version: 1n,
    properties: [{ name: 'a', type: 'Edm.String', value: `${list}`.repeat(place * 1000) }],
  });
  const places = Array.from({ length: 26 }, (_, place) => place);
  const bodies: (Buffer | string)[] = [];
  // Some become much longer than others, and end before others begin.
  for (const place of places) {
    lists.forEach((list, index) => {
      if (place <= index + 5) list.add(inPlace(rowOf(entityOf(index, place))));
      if (place === index + 5) bodies[index] = list.end();
    });
  }
  assert.equal(bodies.length, 20);
  bodies.forEach((body, index) => {
    const entities = places
      .slice(0, index + 6)
      .map(place => objectOf(membersOf(entityOf(index, place), PLAIN)));
    assert.equal(body.toString('latin1'), `{"value":[${entities.join(',')}]}`);
  });
});

test('the buffer of a released body serves one page at a time', () => {
  const pageOf = (letter: string): Buffer | string => {
    const list = new EntityList(BASE, PLAIN);
    const property: Property = { name: 'a', type: 'Edm.String', value: letter.repeat(100_000) };
    list.add(inPlace(rowOf({ partition: 'p', key: 'k', version: 1n, properties: [property] })));
    return list.end();
  };
  const first = pageOf('x');
  assert.ok(Buffer.isBuffer(first));
  releaseBuffer(first);
  releaseBuffer(first);
  const [second, third] = [pageOf('y'), pageOf('z')];
  assert.ok(Buffer.isBuffer(second) && Buffer.isBuffer(third));
  assert.equal(second.buffer, first.buffer);
  assert.notEqual(third.buffer, first.buffer);
  assert.ok(second.includes('y'.repeat(100_000)) && third.includes('z'.repeat(100_000)));
});

test('an answer does not share memory with stored rows', () => {
  const row = rowOf({
    partition: 'p',
    key: 'k',
    version: 1n,
    properties: [{ name: 'a', type: 'Edm.String', value: 'x'.repeat(70_000) }],
  });
  const before = Buffer.from(row.value);
  const { body } = formatOutcome({ kind: 'entity', row }, BASE, PLAIN);
  assert.ok(Buffer.isBuffer(body));
  body.fill(0);
  assert.deepEqual(row.value, before);
});
