// Money between accounts by batches, many at a time, while requests and answers get lost: nothing is made or lost, and each transfer that was reported done is
// in the ledger once, with its effect.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codec, type Db, entity, key, open, PatternError, type Repo, t } from '#patterns';
import { disturbed, FaultyClient } from '../../support/faulty-client.js';
import { describePeers } from '../../support/peers.js';
import { chanceOf, repeatBy, SEED } from '../../support/seeded.js';

const Account = entity('Account', {
  version: 1,
  table: 'Bank',
  props: { bank: t.string(), id: t.int32(), balance: t.int64() },
  partition: p => key(p.bank),
  row: p => key('acc', p.id.as(codec.int(3))),
});

const Entry = entity('Entry', {
  version: 1,
  table: 'Bank',
  props: { bank: t.string(), id: t.string(), from: t.int32(), to: t.int32(), amount: t.int64() },
  partition: p => key(p.bank),
  row: p => key('entry', p.id),
});

const ACCOUNTS = 4;
const START = 1_000n;
const TELLERS = 8;
const TRANSFERS = process.env.SHELFMARK_LONG === undefined ? 2 : 12;
const bank = 'b';

type Transfer = { readonly id: string; readonly from: number; readonly to: number; readonly amount: bigint };

/** Tries until the transfer is applied, its outcome is unknown, or the service does not answer; returns how it ended. */
async function transfer(
  db: Db,
  accounts: Repo<typeof Account>,
  { id, from, to, amount }: Transfer,
): Promise<string> {
  for (;;) {
    const payer = await accounts.get({ bank, id: from });
    const payee = await accounts.get({ bank, id: to });
    assert(payer && payee);
    try {
      await db
        .batch(Account, { bank }, { table: accounts.table })
        .create(Entry, { bank, id, from, to, amount })
        .merge(Account, payer, { balance: payer.value.balance - amount })
        .merge(Account, payee, { balance: payee.value.balance + amount })
        .commit();
      return 'done';
    } catch (thrown) {
      if (!PatternError.is(thrown)) throw thrown;
      const isLost = PatternError.is(thrown, 'BatchFailed') && thrown.detail.reason === 'Conflict';
      if (!isLost) return PatternError.is(thrown, 'BatchFailed') ? thrown.detail.reason : thrown.code;
    }
  }
}

describePeers('transfers', peer => {
  test('are done once or not at all, whatever gets lost', async () => {
    const table = await peer.newTable();
    const clean = open({ tables: peer.client() });
    const accounts = clean.repo(Account, { table });
    for (let id = 0; id < ACCOUNTS; id++) await accounts.create({ bank, id, balance: START });
    const chance = chanceOf(SEED);
    const below = (count: number): number => Math.floor(chance() * count);
    const outcomes = new Map<string, string>();
    const tellers = Array.from({ length: TELLERS }, async (_, teller) => {
      const httpClient = new FaultyClient(disturbed(0.3, chance));
      const db = open({ tables: peer.client() }, { httpClient });
      for (let n = 0; n < TRANSFERS; n++) {
        const from = below(ACCOUNTS);
        const to = (from + 1 + below(ACCOUNTS - 1)) % ACCOUNTS;
        const id = `${teller}.${n}`;
        const move: Transfer = { id, from, to, amount: BigInt(1 + below(9)) };
        try {
          outcomes.set(id, await transfer(db, db.repo(Account, { table }), move));
        } catch (thrown) {
          // A read was not heard, and nothing was begun.
          if (!PatternError.is(thrown)) throw thrown;
          outcomes.set(id, `before: ${thrown.code}`);
        }
      }
    });
    await Promise.all(tellers);

    const repeat = repeatBy('write/transfers');
    const entries = await clean.repo(Entry, { table }).partition({ bank }).take(1_000);
    const balances = Array.from({ length: ACCOUNTS }, () => START);
    for (const { value } of entries) {
      balances[value.from] = (balances[value.from] ?? 0n) - value.amount;
      balances[value.to] = (balances[value.to] ?? 0n) + value.amount;
    }
    const rows = await accounts.partition({ bank }).take(ACCOUNTS + 1);
    assert.deepEqual(
      rows.map(({ value }) => value.balance),
      balances,
      repeat,
    );
    const ledger = new Set(entries.map(({ value }) => value.id));
    for (const [id, outcome] of outcomes)
      if (outcome !== 'OutcomeUnknown')
        assert.equal(ledger.has(id), outcome === 'done', `${id}: ${outcome}. ${repeat}`);
    assert.equal(outcomes.size, TELLERS * TRANSFERS);
    assert(ledger.size > outcomes.size / 2, `${ledger.size} of ${outcomes.size} were done.`);
  });
});
