// The surface of the pattern library: how many values an application finds at its root, that tools find no name twice,
// and how long a chain of imports a reader has to follow. Chains are those of the compiled modules: a type is read
// where it is used.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, sep } from 'node:path';
import { test } from 'node:test';
import * as root from '#patterns';
import { ENTRIES, exportedBy } from '../../tools/reference.js';
import { importsOf } from '../support/source-text.js';
import { ROOT } from '../support/spawned-server.js';
import { PATTERN_NAMES } from './pattern-names.js';
import { ROOMS, type Rooms, TESTING } from './rooms.js';

/** What an application needs, with room for indexes and flows. */
const ROOT_VALUES_MAX = 35;
/** Values, classes and types of all entries together. */
const NAMES_MAX = 180;
/** Files in a row, each importing the next. */
const CHAIN_MAX = 11;

const SOURCES = join(ROOT, 'packages', 'patterns');
const COMPILED = join(ROOT, 'dist', 'packages', 'patterns');

const ROOMS_MAX = 14;
/** Each floor may import the floors below it. */
const FLOORS_MAX = 6;

/** What each module imports of the others, for modules whose sources still exist. */
function modules(): ReadonlyMap<string, readonly string[]> {
  const names = readdirSync(COMPILED, { recursive: true, encoding: 'utf8' })
    .map(name => name.split(sep).join('/'))
    .filter(name => name.endsWith('.js') && !name.endsWith('.test.js') && !name.startsWith(`${TESTING}/`))
    .filter(name => existsSync(join(SOURCES, name.replace(/\.js$/, '.ts'))));
  return new Map(
    names.map(name => {
      const imports = importsOf(readFileSync(join(COMPILED, name), 'utf8'));
      const own = imports.filter(each => each.startsWith('.'));
      return [name, own.map(each => posix.join(dirname(name), each))];
    }),
  );
}

/** The longest chain that begins with a module. Fails on a cycle, which has no end. */
function chainOf(name: string, graph: ReturnType<typeof modules>, above: readonly string[] = []): string[] {
  assert(!above.includes(name), `A cycle: ${[...above, name].join(' > ')}`);
  const chains = (graph.get(name) ?? []).map(each => chainOf(each, graph, [...above, name]));
  return [name, ...chains.reduce((a, b) => (b.length > a.length ? b : a), [])];
}

test('the root has what applications need', () => {
  const atRoot = Object.keys(root);
  assert(atRoot.length <= ROOT_VALUES_MAX, `${atRoot.length} values: ${atRoot.join(', ')}`);
});

test('the entries export the names of the list, and few', () => {
  const exported = ENTRIES.map(entry => {
    const declared = [...exportedBy(join(COMPILED, `${entry}.d.ts`)).values()].flat();
    return [entry, [...new Set(declared.map(({ name }) => name))].toSorted()] as const;
  });
  const listed = Object.entries(PATTERN_NAMES).map(([entry, names]) => [entry, names.trim().split(/\s+/)]);
  assert.deepEqual(exported, listed);
  const names = new Set(exported.flatMap(([, own]) => own));
  assert(names.size <= NAMES_MAX, `${names.size} names`);
});

test('no chain of imports is longer than a reader can follow', () => {
  const graph = modules();
  const chain = chainOf('index.js', graph);
  assert(chain.length <= CHAIN_MAX, `${chain.length} files: ${chain.join(' > ')}`);
});

/** Both by types alone: errors have times among their details, and times throw such errors. */
const CYCLE = ['values/instant.ts', 'values/pattern-error.ts'];

/** What each source imports of the others, types too. */
function sources(): ReadonlyMap<string, readonly string[]> {
  const names = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .map(name => name.split(sep).join('/'))
    .filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.startsWith(`${TESTING}/`));
  return new Map(
    names.map(name => {
      const own = importsOf(readFileSync(join(SOURCES, name), 'utf8')).filter(each => each.startsWith('.'));
      return [name, own.map(each => posix.join(dirname(name), each).replace(/\.js$/, '.ts'))];
    }),
  );
}

test('no file imports itself through others, by types neither', () => {
  const left = new Map(sources());
  // Whatever imports nothing that is left is in no cycle; nor is what nothing left imports.
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    const imported = new Set([...left.values()].flat());
    for (const [name, own] of left)
      if (!imported.has(name) || !own.some(each => left.has(each))) left.delete(name);
  }
  assert.deepEqual([...left.keys()].toSorted(), CYCLE);
});

/** The floor of a room: one above the highest room that it may import. */
function floorOf(rooms: Rooms, name: string): number {
  return 1 + Math.max(0, ...(rooms[name] ?? []).map(below => floorOf(rooms, below)));
}

test('the library has few rooms, on few floors, and its index names each on its floor', () => {
  const rooms = ROOMS['packages/patterns'] ?? {};
  const names = Object.keys(rooms);
  assert(names.length <= ROOMS_MAX, names.join());
  const header = readFileSync(join(SOURCES, 'index.ts'), 'utf8').split('\nexport')[0] ?? '';
  let floor = 0;
  const drawn = [...header.matchAll(/^\/\/ {3}([ \d]) {2}(?:([a-z]+)\/|the entries)/gm)].map(
    ([, given = ' ', room = '.']) => {
      floor = given === ' ' ? floor : Number(given);
      return [room, floor] as const;
    },
  );
  assert.deepEqual(drawn.toSorted(), names.map(room => [room, floorOf(rooms, room)] as const).toSorted());
  assert(floor <= FLOORS_MAX, `${floor} floors`);
});
