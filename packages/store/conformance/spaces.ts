// The catalogue of spaces: names, generations, metadata.
import assert from 'node:assert/strict';
import { nextTurn } from '#base';
import type { Space, Store } from '../store.js';
import { createSpace, EVERYTHING, NO_READS, put, type Suite, scanAll, show, UNBOUNDED } from './suite.js';

const NAMES = [
  '',
  'a',
  'A',
  'a\u0000',
  'a\u0001',
  'ab',
  'b',
  'é',
  'e\u0301',
  '\ud83d\ude00',
  '\uffff',
  '\ud800',
];

export function spaceLaws(suite: Suite): void {
  creationLaws(suite);
  listLaws(suite);
  metadataLaws(suite);
  dropLaws(suite);
}

function creationLaws(suite: Suite): void {
  suite.law('space: created once, however many try', async store => {
    const address = { account: 'a', service: 't', name: 'n' };
    const tries = await Promise.all(
      Array.from({ length: 10 }, (_, index) => store.createSpace(address, Buffer.from(`${index}`))),
    );
    const created = tries.filter(space => space !== undefined);
    assert.equal(created.length, 1);
    assert.deepEqual(await store.getSpace(address), created[0]);
    assert.equal(await store.createSpace(address, Buffer.from('late')), undefined);
    assert.deepEqual(await store.getSpace(address), created[0]);
  });

  suite.law('space: a refused creation shows the space that was in the way, as it was then', async store => {
    const address = { account: 'a', service: 't', name: 'n' };
    const seen: Space[] = [];
    const existing = await store.createSpace(address, Buffer.from('own'), found => seen.push(found));
    assert.ok(existing);
    const changed = await store.updateSpace(existing, () => Buffer.from('changed'));
    assert.equal(await store.createSpace(address, Buffer.from('late'), found => seen.push(found)), undefined);
    assert.deepEqual(seen, [changed]);
    // Among concurrent creations and drops, each call gets either a new space or the existing one.
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        let found: Space | undefined;
        const made = await store.createSpace(address, Buffer.from(`${index}`), there => {
          found = there;
        });
        assert.notEqual(made === undefined, found === undefined);
        const mine = made ?? found;
        if (mine) await store.dropSpace(mine);
      }),
    );
  });

  suite.law('space: each part of an address distinguishes spaces, exactly', async store => {
    const parts = ['', 'a', 'A', 'ab', 'b', 'a\u0000b', '\u0000'];
    const addresses = parts.flatMap(account =>
      parts.flatMap(service => parts.map(name => ({ account, service, name }))),
    );
    const made = await Promise.all(
      addresses.map(address => store.createSpace(address, Buffer.from(JSON.stringify(address)))),
    );
    assert.equal(new Set(made.map(space => space?.id)).size, addresses.length);
    for (const address of addresses) {
      const space = await store.getSpace(address);
      assert.equal(space?.metadata.toString(), JSON.stringify(address));
      assert.deepEqual([space?.account, space?.service, space?.name], Object.values(address));
    }
  });

  suite.law('space: a name that was never created does not exist', async store => {
    await createSpace(store, 'there');
    assert.equal(await store.getSpace({ account: 'account', service: 'test', name: 'There' }), undefined);
    const long = 'x'.repeat(10_000);
    assert.equal(await store.getSpace({ account: 'account', service: 'test', name: long }), undefined);
  });
}

function listLaws(suite: Suite): void {
  suite.law('space: listed in the order of names, from a name on, up to a limit', async store => {
    const sorted = [...NAMES].sort(compare);
    const create = (account: string, service: string, name: string): Promise<Space | undefined> =>
      store.createSpace({ account, service, name }, Buffer.alloc(0));
    for (const name of NAMES) await create('lists', 'test', name);
    await create('lists', 'tesu', 'other');
    await create('lists', 'tes', 'other');
    await create('list', 'test', 'other');
    const froms = [...NAMES, 'aa', 'c', '\uffff\uffff', 'z'.repeat(10_000)];
    for (const from of froms) {
      const expected = sorted.filter(name => name >= from);
      for (const limit of [0, 1, 3, 1000]) {
        const listed = await store.listSpaces('lists', 'test', from, limit);
        assert.deepEqual(
          listed.map(space => space.name),
          expected.slice(0, limit),
          `from ${JSON.stringify(from)}`,
        );
      }
    }
    assert.deepEqual(await store.listSpaces('lists', 'none', '', 10), []);
  });
}

function metadataLaws(suite: Suite): void {
  suite.law('space: updates of the metadata are atomic', async (store, space) => {
    const increment = (metadata: Buffer) => {
      const { count = 0 }: { count?: number } = JSON.parse(metadata.toString());
      return Buffer.from(JSON.stringify({ count: count + 1 }));
    };
    const updates = await Promise.all(Array.from({ length: 50 }, () => store.updateSpace(space, increment)));
    assert.equal((await store.getSpace(space))?.metadata.toString(), '{"count":50}');
    const answers = new Set(updates.map(updated => updated?.metadata.toString()));
    assert.equal(answers.size, 50, 'each update answers with its own result');
    assert.deepEqual({ ...(await store.getSpace(space)), metadata: space.metadata }, space);
  });

  suite.law(
    'space: an update that throws changes nothing, and its error reaches the caller',
    async (store, space) => {
      const error = new RangeError('no');
      const update = store.updateSpace(space, () => {
        throw error;
      });
      await assert.rejects(update, thrown => thrown === error);
      assert.deepEqual(await store.getSpace(space), space);
    },
  );

  suite.law('space: metadata is copied in and out', async store => {
    const mine = Buffer.from('mine');
    const address = { account: 'a', service: 't', name: 'n' };
    const space = await store.createSpace(address, mine);
    assert(space !== undefined);
    mine.fill(0);
    space.metadata.fill(0);
    assert.equal((await store.getSpace(address))?.metadata.toString(), 'mine');
    const large = Buffer.alloc(100_000, 'x');
    const updated = await store.updateSpace(space, () => large);
    large.fill(0);
    updated?.metadata.fill(0);
    const [listed] = await store.listSpaces('a', 't', '', 1);
    assert.equal(listed?.metadata.toString(), 'x'.repeat(100_000));
    listed?.metadata.fill(0);
    const empty = await store.updateSpace(space, () => Buffer.alloc(0));
    assert.equal(empty?.metadata.length, 0);
  });
}

function dropLaws(suite: Suite): void {
  suite.law(
    'space: a drop whose check throws changes nothing, and its error reaches the caller',
    async store => {
      const space = await createSpace(store, 'checked');
      await store.updateSpace(space, () => Buffer.from('now'));
      const seen: string[] = [];
      const error = new RangeError('no');
      const drop = store.dropSpace(space, metadata => {
        seen.push(metadata.toString());
        throw error;
      });
      await assert.rejects(drop, thrown => thrown === error);
      assert.equal((await store.getSpace(space))?.metadata.toString(), 'now');
      assert.equal(await store.dropSpace(space, metadata => void seen.push(metadata.toString())), true);
      assert.deepEqual(new Set(seen), new Set(['now']));
    },
  );

  suite.law('space: a drop among commits; each is before it or after it', async (store, space) => {
    const commits = Array.from({ length: 30 }, (_, index) => {
      const value = Buffer.from(`${index}`);
      const commit = store.commit(space, 'p', NO_READS, () => ({
        result: true,
        puts: [{ key: 'k', value }],
      }));
      return index === 15 ? store.dropSpace(space) : commit;
    });
    const answers = await Promise.all(commits);
    assert.equal(answers[15], true);
    assert.equal(await store.commit(space, 'p', NO_READS, () => ({ result: true })), undefined);
  });

  suite.law('space: a scan meets the drop of its space without harm', async (store, space) => {
    const neighbour = await createSpace(store, 'neighbour');
    const rows = Object.fromEntries(
      Array.from({ length: 3000 }, (_, index) => [`${10_000 + index}`, 'value']),
    );
    await put(store, space, 'p', rows);
    await put(store, neighbour, 'p', { k: 'kept' });
    const seen = await scanAndDrop(store, space);
    assert(seen.every((key, index) => index === 0 || (seen[index - 1] ?? '') < key));
    assert(seen.every(key => rows[key] === 'value'));
    for (let turns = 0; turns < 50; turns += 1) await nextTurn();
    assert.deepEqual(show(await scanAll(store, neighbour)), ['p/k=kept']);
    const fresh = await createSpace(store);
    assert.deepEqual(await scanAll(store, fresh), []);
  });
}

/** Keys seen page by page by a scan whose space is dropped after the third page. */
async function scanAndDrop(store: Store, space: Space): Promise<string[]> {
  const seen: string[] = [];
  let from = EVERYTHING.from;
  for (let pages = 0; ; pages += 1) {
    if (pages === 3) await store.dropSpace(space);
    const { next } = await store.scan(space, { from }, { ...UNBOUNDED, rows: 200 }, row => {
      assert.equal(row.value.toString(), 'value');
      seen.push(row.key);
      return true;
    });
    if (next === undefined) return seen;
    from = next;
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : 1;
}
