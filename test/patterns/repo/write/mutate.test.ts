// Many writers that change one row by what is in it, while requests and answers get lost: each change that was reported done is there once, each that was
// reported failed is not there, and they stand in an order in which they can have happened.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Db, open, PatternError } from '#patterns';
import { anna, Employee } from '../../support/employee.js';
import { FAULTS, FaultyClient } from '../../support/faulty-client.js';
import { describePeers } from '../../support/peers.js';
import { rejects } from '../../support/rejects.js';
import { chanceOf, repeatBy, SEED } from '../../support/seeded.js';

const WRITERS = 32;
const CHANGES = process.env.SHELFMARK_LONG === undefined ? 2 : 4;
/** Of all requests, in parts of one. */
const FAULTY = 0.3;

/** A change that adds its id to the list in the row. Times are steps of one counter. */
interface Call {
  readonly id: string;
  readonly invoked: number;
  readonly returned: number;
  readonly outcome: 'done' | 'failed' | 'unknown';
}

const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Why the list is no order in which these calls can have happened one after another; undefined if it is one. */
function contradiction(calls: readonly Call[], list: readonly string[]): string | undefined {
  const twice = list.find((id, at) => list.indexOf(id) !== at);
  if (twice !== undefined) return `${twice} is there twice`;
  for (const { id, outcome } of calls) {
    if (outcome === 'done' && !list.includes(id)) return `${id} was done and is not there`;
    if (outcome === 'failed' && list.includes(id)) return `${id} failed and is there`;
  }
  const inOrder = list.map(id => calls.find(call => call.id === id));
  for (const [at, call] of inOrder.entries()) {
    if (call === undefined) return `${list[at]} was never called`;
    const late = inOrder.slice(at + 1).find(each => each && each.returned < call.invoked);
    if (late) return `${late.id} had returned before ${call.id} was called, and stands behind it`;
  }
  return undefined;
}

describePeers('mutate', peer => {
  test(`${WRITERS} writers, and answers that get lost`, async () => {
    const table = await peer.newTable();
    const chance = chanceOf(SEED);
    let step = 0;
    let faults = 0;
    const plan = () => {
      if (chance() >= FAULTY) return undefined;
      faults++;
      return FAULTS[Math.floor(chance() * FAULTS.length)];
    };
    const calls: Call[] = [];
    async function add(db: Db, id: string): Promise<void> {
      const invoked = step++;
      const ended = (outcome: Call['outcome']): number =>
        calls.push({ id, invoked, returned: step++, outcome });
      try {
        await db
          .repo(Employee, { table })
          .mutate(anna, row => ({ ...anna, note: row?.note === undefined ? id : `${row.note},${id}` }), {
            attempts: 200,
          });
        ended('done');
      } catch (thrown) {
        if (!PatternError.is(thrown)) throw thrown;
        ended(thrown.code === 'OutcomeUnknown' ? 'unknown' : 'failed');
      }
    }
    const writers = Array.from({ length: WRITERS }, async (_, writer) => {
      const db = open({ tables: peer.client() }, { httpClient: new FaultyClient(plan), sleep: nextTurn });
      for (let n = 0; n < CHANGES; n++) await add(db, `${writer}.${n}`);
    });
    await Promise.all(writers);
    const row = await open({ tables: peer.client() }).repo(Employee, { table }).get(anna);
    const list = row?.value.note?.split(',') ?? [];
    assert.equal(contradiction(calls, list), undefined, repeatBy('write/mutate'));
    assert.equal(calls.length, WRITERS * CHANGES);
    assert(faults > WRITERS, `There were ${faults} faults.`);
    assert(list.length > calls.length / 2, `${list.length} of ${calls.length} were done.`);
  });

  test('the check of histories finds what is wrong', () => {
    const call = (
      id: string,
      invoked: number,
      returned: number,
      outcome: Call['outcome'] = 'done',
    ): Call => ({
      id,
      invoked,
      returned,
      outcome,
    });
    const calls = [call('a', 0, 1), call('b', 2, 5), call('c', 3, 4), call('d', 6, 7, 'failed')];
    assert.equal(contradiction(calls, ['a', 'c', 'b']), undefined);
    assert.equal(contradiction(calls, ['a', 'b', 'c']), undefined);
    assert.match(contradiction(calls, ['b', 'a', 'c']) ?? '', /^a had returned/);
    assert.match(contradiction(calls, ['a', 'b']) ?? '', /^c was done/);
    assert.match(contradiction(calls, ['a', 'b', 'c', 'a']) ?? '', /^a is there twice/);
    assert.match(contradiction(calls, ['a', 'b', 'c', 'd']) ?? '', /^d failed/);
    assert.match(contradiction(calls, ['a', 'b', 'c', 'e']) ?? '', /^e was never/);
  });

  test('it fails after the greatest number of attempts', async () => {
    const table = await peer.newTable();
    const other = open({ tables: peer.client() }).repo(Employee, { table });
    await other.create(anna);
    const passing = new FaultyClient(() => undefined);
    const sleeps: number[] = [];
    const staff = open(
      { tables: peer.client() },
      {
        sleep: async milliseconds => {
          sleeps.push(milliseconds);
        },
        httpClient: {
          sendRequest: async request => {
            if (request.method === 'PUT') await other.merge({ key: anna, etag: '*' }, { score: 1 });
            return passing.sendRequest(request);
          },
        },
      },
    ).repo(Employee, { table });
    let called = 0;
    const change = () => {
      called++;
      return { ...anna, note: 'mine' };
    };
    for (const attempts of [1, 2, 8]) {
      called = 0;
      sleeps.length = 0;
      await rejects(staff.mutate(anna, change, { attempts }), 'Contention', { attempts });
      assert.equal(called, attempts);
      assert.equal(sleeps.length, attempts - 1);
      assert(sleeps.every(pause => pause >= 20 && pause <= 1_000));
    }
  });

  test('a signal stops it between attempts', async () => {
    const table = await peer.newTable();
    const controller = new AbortController();
    const staff = open({ tables: peer.client() }).repo(Employee, { table });
    const other = open({ tables: peer.client() }).repo(Employee, { table });
    await other.create(anna);
    const mutation = staff.mutate(
      anna,
      row => {
        controller.abort();
        return row && { ...row, score: 1 };
      },
      { signal: controller.signal },
    );
    await assert.rejects(mutation, { name: 'AbortError' });
    assert.deepEqual((await other.get(anna))?.value, anna);
  });

  test('nothing is written where nothing changes', async () => {
    const staff = open({ tables: peer.client() }).repo(Employee, { table: await peer.newTable() });
    assert.equal(await staff.mutate(anna, () => undefined), undefined);
    const stored = await staff.mutate(anna, row => row ?? anna);
    assert.deepEqual(await staff.mutate(anna, row => row), stored);
    assert.deepEqual(await staff.mutate(anna, () => undefined), stored);
  });

  test('a function that is not pure is found where that is asked', async () => {
    const staff = open({ tables: peer.client() }).repo(Employee, { table: await peer.newTable() });
    let n = 0;
    const counts = () => ({ ...anna, score: ++n });
    await rejects(staff.mutate(anna, counts, { checksPurity: true }), 'DefinitionInvalid');
    await staff.mutate(anna, () => ({ ...anna }), { checksPurity: true });
  });
});
