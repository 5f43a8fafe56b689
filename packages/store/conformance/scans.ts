// Law 3 and the end of a scan: budgets, continuation, the rows that `visit` sees and that `collectRows` keeps.
import assert from 'node:assert/strict';
import { collectRows, type Page } from '../collect-rows.js';
import type { Budget, Position, ScanEnd, Space, Store } from '../store.js';
import { EVERYTHING, HOUR_MS, NO_READS, put, remove, type Suite, scanAll, show, UNBOUNDED } from './suite.js';

export function scanLaws(suite: Suite): void {
  budgetLaws(suite);
  visitLaws(suite);
  concurrencyLaws(suite);
}

/** Two partitions of ten rows of ten bytes each. */
async function fill(store: Store, space: Space): Promise<void> {
  for (const partition of ['p', 'q']) {
    await put(store, space, partition, Object.fromEntries([...'0123456789'].map(key => [key, '..........'])));
  }
}

function scan(store: Store, space: Space, budget: Partial<Budget>, from = EVERYTHING.from): Promise<Page> {
  return collectRows(store, space, { from }, { ...UNBOUNDED, ...budget });
}

function places(positions: readonly Position[]): string {
  return positions.map(({ partition, key }) => partition + key).join(' ');
}

function budgetLaws(suite: Suite): void {
  suite.law(
    'scan: a visitor that works long sees every row once, in one page or several',
    async (store, space) => {
      await fill(store, space);
      const effort = { steps: 12_345_678 };
      const seen: Position[] = [];
      let from: Position | undefined = EVERYTHING.from;
      for (let pages = 0; from !== undefined; pages++) {
        assert(pages <= 20, 'each page sees a row at least');
        const end: ScanEnd = await store.scan(
          space,
          { from },
          { ...UNBOUNDED, effort },
          ({ partition, key }) => {
            seen.push({ partition, key });
            effort.steps += 200_000;
            return true;
          },
        );
        from = end.next;
      }
      assert.equal(places(seen), places(await scanAll(store, space)));
    },
  );

  suite.law("scan: ends after the budget's rows, and returns which is next", async (store, space) => {
    await fill(store, space);
    const page = await scan(store, space, { rows: 3 });
    assert(page.rows.length <= 3);
    assert.deepEqual(page.next, { partition: 'p', key: `${page.rows.length}` });
    const none = await scan(store, space, { rows: 0 });
    assert.deepEqual(none.rows, []);
    assert.deepEqual(none.next, EVERYTHING.from);
    assert.equal(none.examined, 0);
    for (const rows of [1, 2, 3, 19, 20, 21]) {
      const all = await scanAll(store, space, EVERYTHING, { ...UNBOUNDED, rows });
      assert.equal(places(all), places(await scanAll(store, space)), `pages of ${rows}`);
    }
  });

  suite.law('scan: the row that crosses the bound of bytes is the last one', async (store, space) => {
    await fill(store, space);
    for (const [bytes, rows] of [
      [0, 1],
      [1, 1],
      [10, 1],
      [11, 2],
      [25, 3],
      [1000, 20],
    ] as const) {
      const page = await scan(store, space, { bytes });
      assert(page.rows.length >= 1 && page.rows.length <= rows, `${bytes} bytes`);
      const all = await scanAll(store, space, EVERYTHING, { ...UNBOUNDED, bytes });
      assert.equal(all.length, 20);
    }
  });

  suite.law(
    'scan: visits so many rows, whether they count or not, and one at least',
    async (store, space) => {
      await fill(store, space);
      for (const [examined, most] of [
        [0, 1],
        [1, 1],
        [7, 7],
        [20, 20],
        [21, 20],
      ] as const) {
        let visited = 0;
        const end = await store.scan(space, EVERYTHING, { ...UNBOUNDED, examined }, () => {
          visited += 1;
          return false;
        });
        assert.equal(end.examined, visited);
        assert(visited >= 1 && visited <= most);
        assert.equal(end.next === undefined, visited === 20);
      }
    },
  );

  suite.law('scan: ends when its time is over, without losing a row', async (store, space, { clock }) => {
    const keys = Array.from({ length: 1000 }, (_, index) => `${1000 + index}`);
    await put(store, space, 'p', Object.fromEntries(keys.map(key => [key, ''])));
    const slow = (from: Position) =>
      collectRows(store, space, { from }, { ...UNBOUNDED, milliseconds: 5 }, () => {
        clock.advance(1);
        return true;
      });
    const seen: string[] = [];
    let pages = 0;
    for (let from: Position | undefined = EVERYTHING.from; from !== undefined; pages += 1) {
      const page: Page = await slow(from);
      assert(page.rows.length > 0);
      seen.push(...page.rows.map(row => row.key));
      from = page.next;
    }
    assert.deepEqual(seen, keys);
    assert(pages >= 5, 'a thousand rows of a millisecond each are no page of five milliseconds');
  });

  suite.law('scan: a clock that jumps back does not break the scan', async (store, space, { clock }) => {
    await fill(store, space);
    const end = await store.scan(space, EVERYTHING, { ...UNBOUNDED, milliseconds: 5 }, () => {
      clock.advance(-HOUR_MS);
      return true;
    });
    assert(end.examined > 0);
  });
}

function visitLaws(suite: Suite): void {
  suite.law('scan: collected rows are the caller’s to keep', async (store, space) => {
    await fill(store, space);
    const { rows } = await scan(store, space, {});
    await put(store, space, 'p', Object.fromEntries([...'0123456789'].map(key => [key, 'overwritten'])));
    await scanAll(store, space);
    assert(rows.every(row => row.value.toString() === '..........'));
    for (const row of rows) row.value.fill(0);
    assert.deepEqual(show(await store.read(space, 'q', ['0'])), ['q/0=..........']);
  });

  suite.law(
    'scan: only rows that count are held against the budget’s rows and bytes',
    async (store, space) => {
      await fill(store, space);
      const expected = (await scanAll(store, space)).filter(({ key }) => key > '2');
      for (const bound of [{}, { rows: 4 }, { bytes: 35 }, { examined: 7 }]) {
        const budget = { ...UNBOUNDED, ...bound };
        const counted: string[] = [];
        let from: Position | undefined = EVERYTHING.from;
        while (from !== undefined) {
          const before: number = counted.length;
          let visited = 0;
          const end: ScanEnd = await store.scan(space, { from }, budget, row => {
            visited += 1;
            if (row.key <= '2') return false;
            counted.push(...show([row]));
            return true;
          });
          const counts = counted.length - before;
          assert.equal(end.examined, visited);
          assert(counts <= budget.rows && counts <= Math.ceil(budget.bytes / 10));
          assert(visited <= budget.examined);
          from = end.next;
        }
        assert.deepEqual(counted, show(expected));
      }
    },
  );

  suite.law('scan: an error of visit reaches the caller and harms no other call', async (store, space) => {
    await fill(store, space);
    const error = new EvalError('mine');
    for (let round = 0; round < 200; round += 1) {
      const scanning = store.scan(space, EVERYTHING, UNBOUNDED, row => {
        if (row.key === '5') throw error;
        return true;
      });
      await assert.rejects(scanning, thrown => thrown === error);
    }
    assert.equal((await scanAll(store, space)).length, 20);
    await put(store, space, 'p', { k: 'v' });
  });
}

function concurrencyLaws(suite: Suite): void {
  suite.law(
    'scan: paging among writes never skips a row that stays, and never repeats one',
    async (store, space) => {
      const stable = Array.from({ length: 300 }, (_, index) => `${1000 + index * 2}`);
      await put(store, space, 'p', Object.fromEntries(stable.map(key => [key, 'stable'])));
      let isOver = false;
      const write = async () => {
        for (let round = 0; !isOver; round += 1) {
          const key = `${1001 + ((round * 37) % 300) * 2}`;
          await put(store, space, 'p', { [key]: 'passing', [stable[round % 300] ?? '']: 'stable' });
          if (round % 3 !== 0) await remove(store, space, 'p', [key]);
        }
      };
      const writing = write();
      for (const rows of [7, 50, 50]) {
        const scanned = await scanAll(store, space, EVERYTHING, { ...UNBOUNDED, rows });
        const keys = scanned.map(row => row.key);
        assert.deepEqual(keys, [...new Set(keys)].toSorted());
        assert.deepEqual(
          keys.filter(key => Number(key) % 2 === 0),
          stable,
        );
      }
      isOver = true;
      await writing;
    },
  );

  suite.law('law 3: a scan of one partition sees each commit whole or not at all', async (store, space) => {
    const keys = Array.from({ length: 500 }, (_, index) => `${1000 + index}`);
    const putRound = (round: number) => {
      const puts = keys.map(key => ({ key, value: Buffer.from(`${round}`.padEnd(500, '.')) }));
      return store.commit(space, 'p', NO_READS, () => ({ result: true, puts }));
    };
    await putRound(0);
    let isOver = false;
    const write = async () => {
      for (let round = 1; !isOver; round += 1) await putRound(round);
    };
    const writing = write();
    for (let round = 0; round < 20; round += 1) {
      const values = new Set<string>();
      await store.scan(space, EVERYTHING, UNBOUNDED, row => {
        values.add(row.value.toString());
        return true;
      });
      assert.equal(values.size, 1);
    }
    isOver = true;
    await writing;
  });

  suite.law('scan: hundreds at once', async (store, space) => {
    await fill(store, space);
    const scans = await Promise.all(Array.from({ length: 300 }, () => scanAll(store, space)));
    assert(scans.every(rows => rows.length === 20));
  });
}
