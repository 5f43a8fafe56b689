// Whether the simulation finds what it is there to find: stores that break one law each, and how few seeds that takes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Decision, Row, Store } from '#store';
import { runPlan } from './run.js';
import { type Action, isQueueAction } from './step.js';
import type { Spoil } from './subject.js';
import { planOf } from './workload.js';

const SEEDS_MAX = 100;

/** The store with some methods of its own; the others are those of the inner one. */
const changed =
  (change: (inner: Store) => Partial<Store>): Spoil =>
  inner => ({
    createSpace: (address, metadata) => inner.createSpace(address, metadata),
    getSpace: address => inner.getSpace(address),
    listSpaces: (account, service, from, limit) => inner.listSpaces(account, service, from, limit),
    updateSpace: (space, update) => inner.updateSpace(space, update),
    dropSpace: space => inner.dropSpace(space),
    read: (space, partition, keys) => inner.read(space, partition, keys),
    scan: (space, range, budget, accept) => inner.scan(space, range, budget, accept),
    commit: (space, partition, reads, decide) => inner.commit(space, partition, reads, decide),
    close: () => inner.close(),
    ...change(inner),
  });

type Changes = Pick<Decision<unknown>, 'puts' | 'deletes'>;

/** What is decided on a queue is changed before it is done; what is answered is not. */
const onQueues = (spoil: (changes: Changes) => Changes): Spoil =>
  changed(inner => ({
    commit: (space, partition, reads, decide) =>
      inner.commit(space, partition, reads, (rows, tick) => {
        const decision = decide(rows, tick);
        return space.service === 'queue' ? { ...decision, ...spoil(decision) } : decision;
      }),
  }));

const isPlace = (key: string): boolean => key.startsWith('at/');
const movesOne = ({ puts = [] }: Changes): boolean => puts.some(({ key }) => isPlace(key));
/** By a digit of its place, which is as good as chance. */
const isUnlucky = ({ puts = [] }: Changes): boolean =>
  puts.some(({ key }) => key.startsWith('id/')) && (puts[0]?.key.charCodeAt(20) ?? 0) % 3 === 0;

const SPOILT_QUEUES: Readonly<Record<string, Spoil>> = {
  'a message that is got stays visible too': onQueues(({ puts = [], deletes = [] }) => ({
    deletes: movesOne({ puts }) ? deletes.filter(key => !isPlace(key)) : deletes,
  })),
  'a message that was deleted comes back': onQueues(({ puts = [], deletes = [] }) => ({
    deletes: movesOne({ puts }) ? deletes : [],
  })),
  'some messages are answered and not kept': onQueues(({ puts = [] }) => ({
    puts: isUnlucky({ puts }) ? [] : puts,
  })),
  'messages are hidden for no time': onQueues(({ puts = [], deletes = [] }) => ({
    puts: puts.map(({ key, value }) => ({
      key: isPlace(key) && deletes.length > 0 ? `at/${key.slice(19, 35)}${key.slice(19)}` : key,
      value,
    })),
  })),
};

const SPOILT_TABLES: Readonly<Record<string, Spoil>> = {
  'a commit of several rows loses its last': changed(inner => ({
    commit: (space, partition, reads, decide) =>
      inner.commit(space, partition, reads, (rows, tick) => {
        const decision = decide(rows, tick);
        const { puts = [] } = decision;
        return { ...decision, puts: puts.slice(0, Math.max(1, puts.length - 1)) };
      }),
  })),
  'a commit of several rows is done in two halves': changed(inner => ({
    commit: async (space, partition, reads, decide) => {
      await inner.commit(space, partition, reads, (rows, tick) => {
        const { puts = [] } = decide(rows, tick);
        return { result: undefined, puts: puts.slice(0, Math.floor(puts.length / 2)) };
      });
      await nextTurn();
      return inner.commit(space, partition, reads, decide);
    },
  })),
  'a page begins one row after the end of the one before': changed(inner => ({
    scan: async (space, range, budget, accept) => {
      const page = await inner.scan(space, range, budget, accept);
      return page.next ? { ...page, next: { ...page.next, key: `${page.next.key}\0` } } : page;
    },
  })),
  'decisions are made on rows that were read before': changed(inner => ({
    commit: async (space, partition, reads, decide) => {
      const keys = await inner.read(space, partition, reads.keys);
      await nextTurn();
      return inner.commit(space, partition, reads, ({ range }, tick) => decide({ keys, range }, tick));
    },
  })),
  'versions stand still': changed(inner => {
    const still = (row: Row): Row => ({ ...row, version: row.version - (row.version % 100_000n) });
    return {
      read: async (space, partition, keys) =>
        (await inner.read(space, partition, keys)).map(row => row && still(row)),
      commit: (space, partition, reads, decide) =>
        inner.commit(space, partition, reads, ({ keys, range }, tick) =>
          decide({ keys: keys.map(row => row && still(row)), range }, tick - (tick % 100_000n)),
        ),
    };
  }),
  'reads are of some moments ago': changed(inner => {
    const known = new Map<string, readonly (Row | undefined)[]>();
    return {
      read: async (space, partition, keys) => {
        const name = JSON.stringify([space.id, partition, keys]);
        const old = known.get(name);
        const now = await inner.read(space, partition, keys);
        known.set(name, now);
        return old ?? now;
      },
    };
  }),
};

/** The first seed that fails; undefined if none does. Without what only an engine with files can do. */
async function firstFailure(
  spoil: Spoil,
  seedsMax: number,
  isWanted: (action: Action) => boolean = () => true,
): Promise<number | undefined> {
  for (let seed = 1; seed <= seedsMax; seed += 1) {
    const plan = planOf(seed);
    if (plan.sockets) continue;
    const steps = plan.steps.filter(
      ({ action }) => action.kind !== 'reopen' && action.kind !== 'crash' && isWanted(action),
    );
    const { failure } = await runPlan({ ...plan, engine: 'memory', steps }, spoil);
    if (failure) return seed;
  }
  return undefined;
}

const isTableAction = (action: Action): boolean => !isQueueAction(action);

for (const [spoilt, isWanted] of [
  [SPOILT_TABLES, isTableAction],
  [SPOILT_QUEUES, isQueueAction],
] as const) {
  for (const [name, spoil] of Object.entries(spoilt)) {
    test(`found: ${name}`, async t => {
      const seed = await firstFailure(spoil, SEEDS_MAX, isWanted);
      assert.notEqual(seed, undefined, `Not within ${SEEDS_MAX} seeds.`);
      t.diagnostic(`Seed ${seed} finds it.`);
    });
  }
}

test('nothing is found in a store that is not spoilt', async () => {
  assert.equal(await firstFailure(store => store, 20), undefined);
});
