// The faulty store: faults occur as often as configured, are legal under the contract, and a careful caller copes with them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectRows } from './collect-rows.js';
import { type Faults, openFaultyStore } from './faulty-store.js';
import { openMemoryStore } from './memory-store.js';
import type { Space, Store } from './store.js';
import { StoreError } from './store-error.js';

const NO_FAULTS = { failBefore: 0, failAfter: 0, delay: 0, redecide: 0, shortScan: 0 };
const UNBOUNDED = { rows: 1e6, bytes: 1e9, examined: 1e9, milliseconds: 1e9 };
const EVERYTHING = { from: { partition: '', key: '' } };

/** Numbers from 0 up to 1, the same for the same seed. */
function seeded(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1);
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

async function openFaulty(faults: Partial<Faults>): Promise<{ inner: Store; store: Store; space: Space }> {
  const inner = openMemoryStore();
  const space = await inner.createSpace({ account: 'a', service: 't', name: 'n' }, Buffer.alloc(0));
  assert(space !== undefined);
  return { inner, space, store: openFaultyStore(inner, { ...NO_FAULTS, random: seeded(1), ...faults }) };
}

function increment(store: Store, space: Space): Promise<number | undefined> {
  return store.commit(space, 'p', { keys: ['k'] }, ({ keys }) => {
    const count = Number(keys[0]?.value.toString() ?? 0) + 1;
    return { result: count, puts: [{ key: 'k', value: Buffer.from(`${count}`) }] };
  });
}

async function countIn(store: Store, space: Space): Promise<number> {
  const [row] = await store.read(space, 'p', ['k']);
  return Number(row?.value.toString() ?? 0);
}

test('a failure before a change leaves everything as it was', async () => {
  const { inner, store, space } = await openFaulty({ failBefore: 1 });
  const codes = new Set<string>();
  for (let round = 0; round < 50; round += 1) {
    await assert.rejects(increment(store, space), (error: unknown) => {
      assert(error instanceof StoreError);
      codes.add(error.code);
      return true;
    });
  }
  assert.deepEqual([...codes].toSorted(), ['busy', 'conflict', 'full']);
  assert.equal(await countIn(inner, space), 0);
  await assert.rejects(store.read(space, 'p', ['k']), { code: 'busy' });
  await assert.rejects(store.getSpace(space), { code: 'busy' });
  await assert.rejects(store.dropSpace(space), StoreError);
  assert.notEqual(await inner.getSpace(space), undefined);
});

test('a failure after a change is busy, and the change was made', async () => {
  const { inner, store, space } = await openFaulty({ failAfter: 1 });
  await assert.rejects(increment(store, space), { code: 'busy' });
  assert.equal(await countIn(inner, space), 1);
  assert.equal(await countIn(store, space), 1, 'reads have nothing to fail after');
});

test('a decision is called again with the current rows, and is applied once', async () => {
  const { inner, store, space } = await openFaulty({ redecide: 1 });
  let calls = 0;
  const seen: number[] = [];
  const counts = await Promise.all(
    Array.from({ length: 20 }, () =>
      store.commit(space, 'p', { keys: ['k'] }, ({ keys }) => {
        calls += 1;
        const count = Number(keys[0]?.value.toString() ?? 0) + 1;
        seen.push(count);
        return { result: count, puts: [{ key: 'k', value: Buffer.from(`${count}`) }] };
      }),
    ),
  );
  assert.equal(calls, 40);
  assert.equal(new Set(counts).size, 20);
  assert(new Set(seen).size < seen.length, 'some attempts saw rows that had changed when they counted');
  assert.equal(await countIn(inner, space), 20);
});

test('a short scan can be continued where it stopped', async () => {
  const { store, space } = await openFaulty({ shortScan: 0.5 });
  const keys = Array.from({ length: 100 }, (_, index) => `${100 + index}`);
  const puts = keys.map(key => ({ key, value: Buffer.alloc(0) }));
  await store.commit(space, 'p', { keys: [] }, () => ({ result: true, puts }));
  const seen: string[] = [];
  let pages = 0;
  for (let from = EVERYTHING.from; ; pages += 1) {
    const page = await collectRows(store, space, { from }, { ...UNBOUNDED, rows: 30 });
    seen.push(...page.rows.map(row => row.key));
    if (page.next === undefined) break;
    from = page.next;
  }
  assert.deepEqual(seen, keys);
  assert(pages > 4);
});

test('contents fail as rows do: a written one is whole or gone, and a read may break off', async () => {
  let [finished, failed, brokenOff] = [0, 0, 0];
  for (let seed = 1; seed <= 200; seed += 1) {
    const random = seeded(seed);
    const inner = openMemoryStore();
    const store = openFaultyStore(inner, {
      ...NO_FAULTS,
      failBefore: 0.1,
      failAfter: 0.1,
      delay: 0.2,
      random,
    });
    const space = await inner.createSpace({ account: 'a', service: 't', name: 'n' }, Buffer.alloc(0));
    assert(space !== undefined);
    const writer = await store.content.create(space).catch(() => undefined);
    if (writer === undefined) continue;
    try {
      for (const letter of ['a', 'b']) await writer.write(Buffer.alloc(300_000, letter));
      await writer.finish();
      finished += 1;
    } catch (error) {
      assert(error instanceof StoreError);
      failed += 1;
      const left = inner.content.read(space, writer.id, 0, 1)[Symbol.asyncIterator]();
      await assert.rejects(async () => left.next(), { code: 'corrupt' });
      continue;
    }
    const pieces: Buffer[] = [];
    try {
      for await (const piece of store.content.read(space, writer.id, 0, 600_000)) pieces.push(piece);
      assert.equal(Buffer.concat(pieces).length, 600_000);
    } catch (error) {
      assert(error instanceof StoreError && error.code === 'busy');
      if (pieces.length > 0) brokenOff += 1;
    }
  }
  assert(finished > 50 && failed > 50 && brokenOff > 10, `${finished}, ${failed}, ${brokenOff}`);
});
