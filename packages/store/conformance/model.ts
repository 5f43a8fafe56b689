// Random histories, run on the engine under test and on the memory store with one clock: all answers must be equal.
// Versions may differ between engines; they are compared with the ticks that the engine itself issued.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { codePoint } from '#base/testing';
import { collectRows } from '../collect-rows.js';
import { openMemoryStore } from '../memory-store.js';
import type { Decision, Position, ReadRows, Row, Space, Store } from '../store.js';
import { HOUR_MS, type ManualClock, type Suite, show, UNBOUNDED } from './suite.js';

/** Partitions and keys; some of them are up to `keyLength` code units long. */
function placesOf(keyLength: number) {
  const long = 'x'.repeat(keyLength - 2);
  const partition = fc.constantFrom('', 'a', 'a\u0000', 'b', '\ud83d', '\uffff', long, `${long}\u0001`);
  const key = fc.oneof(
    fc.constantFrom('', '0', '1', '10', '2', 'é', '\ue000', '\u0000', long, `${long}1`, `${long}\uffff`),
    fc.string({ unit: codePoint, maxLength: 2 }),
  );
  return { partition, key };
}
type Places = ReturnType<typeof placesOf>;

/** An index into the spaces created so far: some are dropped, some share a name. */
const which = fc.nat();

function commitOf({ partition, key }: Places) {
  const range = fc.record({ from: key, until: fc.option(key, { nil: undefined }), rows: fc.nat(3) });
  return fc.record({
    kind: fc.constant('commit' as const),
    which,
    partition,
    keys: fc.array(key, { maxLength: 3 }),
    range: fc.option(range, { nil: undefined }),
    puts: fc.uniqueArray(fc.record({ key, size: fc.nat({ max: 40 }) }), {
      maxLength: 4,
      selector: change => change.key,
    }),
    deletes: fc.uniqueArray(key, { maxLength: 2 }),
    outcome: fc.constantFrom('change', 'change', 'change', 'refuse', 'throw'),
  });
}

function scanOf(places: Places) {
  const position = fc.record(places);
  return fc.record({
    kind: fc.constant('scan' as const),
    which,
    from: position,
    until: fc.option(position, { nil: undefined }),
    rows: fc.integer({ min: 1, max: 5 }),
    modulus: fc.integer({ min: 1, max: 3 }),
  });
}

/** One step of a history. */
function stepOf(keyLength: number) {
  const places = placesOf(keyLength);
  const { partition, key } = places;
  return fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('create' as const), name: fc.constantFrom('m', 'n') }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('drop' as const), which }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('update' as const), which, text: fc.string() }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('list' as const), from: fc.constantFrom('', 'm', 'n') }),
    },
    { weight: 12, arbitrary: commitOf(places) },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant('read' as const), which, partition, keys: fc.array(key) }),
    },
    { weight: 4, arbitrary: scanOf(places) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('jump' as const), hours: fc.integer({ min: -2, max: 2 }) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen' as const) }) },
  );
}

type Step = ReturnType<typeof stepOf> extends fc.Arbitrary<infer S> ? S : never;
type Of<K extends Step['kind']> = Extract<Step, { kind: K }>;

export function modelLaws(suite: Suite): void {
  suite.law(
    'all laws: random histories answer as the memory store answers',
    async (first, _space, { clock, reopen }) => {
      let store = first;
      let histories = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(stepOf(suite.keyLength), { minLength: 5, maxLength: 60, size: 'max' }),
          async steps => {
            histories += 1;
            const prefix = `history ${histories} `;
            const subject = new Subject(store, prefix);
            const model = new Subject(openMemoryStore({ clock: clock.read }), prefix);
            for (const each of steps) {
              if (each.kind === 'jump') jump(clock, each.hours);
              else if (each.kind === 'reopen') {
                if (reopen !== undefined) store = await reopen();
                subject.store = store;
              } else assert.deepEqual(await subject.take(each), await model.take(each), each.kind);
            }
          },
        ),
        { numRuns: suite.histories },
      );
    },
  );
}

function jump(clock: ManualClock, hours: number): void {
  clock.advance(hours * HOUR_MS + 1);
}

/** A store under a history, with the history's state. Answers are normalised so that engines compare. */
class Subject {
  store: Store;
  readonly #prefix: string;
  readonly #spaces: Space[] = [];
  /** The last version of each row that ever existed, of any generation. */
  readonly #versions = new Map<string, bigint>();

  constructor(store: Store, prefix: string) {
    this.store = store;
    this.#prefix = prefix;
  }

  async take(each: Exclude<Step, { kind: 'jump' | 'reopen' }>): Promise<unknown> {
    if (each.kind === 'create') return this.#create(each);
    if (each.kind === 'list') return this.#list(each);
    const space = this.#spaces[each.which % this.#spaces.length];
    if (space === undefined) return 'no such space yet';
    switch (each.kind) {
      case 'drop':
        return this.store.dropSpace(space);
      case 'update': {
        const updated = await this.store.updateSpace(space, old =>
          Buffer.concat([old, Buffer.from(each.text)]),
        );
        return updated?.metadata.toString();
      }
      case 'commit':
        return this.#commit(space, each);
      case 'read':
        return (await this.#isLiving(space)) && this.#read(space, each);
      case 'scan':
        return (await this.#isLiving(space)) && this.#scan(space, each);
    }
  }

  async #create({ name }: Of<'create'>): Promise<unknown> {
    const address = { account: 'account', service: 'model', name: this.#prefix + name };
    const space = await this.store.createSpace(address, Buffer.from(name));
    if (space !== undefined) this.#spaces.push(space);
    return space?.metadata.toString();
  }

  async #list({ from }: Of<'list'>): Promise<unknown> {
    const spaces = await this.store.listSpaces('account', 'model', this.#prefix + from, 2);
    return spaces
      .filter(space => space.name.startsWith(this.#prefix))
      .map(space => [space.name, space.metadata.toString()]);
  }

  async #commit(space: Space, { partition, keys, range, puts, deletes, outcome }: Of<'commit'>) {
    const written = puts.map(({ key, size }) => ({
      key,
      value: Buffer.alloc(size, `${key.length}.${size};`),
    }));
    const named = new Set(puts.map(({ key }) => key));
    const changes = { puts: written, deletes: deletes.filter(key => !named.has(key)) };
    let ticked = 0n;
    const decide = (rows: ReadRows, tick: bigint): Decision<readonly string[]> => {
      ticked = tick;
      for (const row of [...rows.keys, ...rows.range]) assert(row === undefined || row.version < tick);
      this.#assertVersions(space, [...rows.keys, ...rows.range]);
      const result = [...show(rows.keys), 'and', ...show(rows.range)];
      if (outcome === 'throw') throw new Error(result.join());
      return outcome === 'refuse' ? { result } : { result, ...changes };
    };
    try {
      const result = await this.store.commit(space, partition, { keys, range }, decide);
      if (result !== undefined && outcome === 'change') this.#note(space, partition, puts, ticked);
      return result;
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return error instanceof Error ? error.message : error;
    }
  }

  async #read(space: Space, { partition, keys }: Of<'read'>): Promise<unknown> {
    const rows = await this.store.read(space, partition, keys);
    this.#assertVersions(space, rows);
    return show(rows);
  }

  /** Page by page, because engines may end pages differently. */
  async #scan(space: Space, { from, until, rows, modulus }: Of<'scan'>): Promise<unknown> {
    const found: Row[] = [];
    let examined = 0;
    for (let next: Position | undefined = from; next !== undefined; ) {
      const range = { from: next, until };
      const page = await collectRows(this.store, space, range, { ...UNBOUNDED, rows }, row => {
        return (row.key.length + row.value.length) % modulus === 0;
      });
      found.push(...page.rows);
      examined += page.examined;
      next = page.next;
    }
    this.#assertVersions(space, found);
    return [examined, ...show(found)];
  }

  async #isLiving(space: Space): Promise<boolean> {
    return (await this.store.getSpace(space))?.id === space.id;
  }

  #note(space: Space, partition: string, puts: readonly { key: string }[], version: bigint): void {
    assert(version > space.created);
    for (const { key } of puts) {
      const place = JSON.stringify([space.name, partition, key]);
      assert(version > (this.#versions.get(place) ?? 0n), 'law 4: a version rises over the life of a row');
      this.#versions.set(place, version);
    }
  }

  #assertVersions(space: Space, rows: readonly (Row | undefined)[]): void {
    for (const row of rows) {
      if (row === undefined) continue;
      const place = JSON.stringify([space.name, row.partition, row.key]);
      assert.equal(row.version, this.#versions.get(place), 'law 4: a version is the tick of its commit');
    }
  }
}
