// The clients of tables: writers that share partitions and rows of one table, and one that creates, fills and drops a
// table of its own again and again. Dropping removes all rows at once, and the server reclaims them in the background.
import fc from 'fast-check';
import type { Courses } from '../histories/explain.js';
import { type Ask, Hand } from '../histories/hand.js';
import { faultTexts } from '../histories/history.js';
import { Ledger } from '../histories/ledger.js';
import type { Watch } from '../histories/trigger.js';
import { below, from, oneOf, seldom } from '../random/arbitrary.js';
import type { Answer, Call, PageCall, Write } from '../simulation/judge/history.js';
import { tableFaults } from '../simulation/judge/judge.js';
import type { Property } from '../simulation/plan/value.js';
import { nextPage, workloadOf } from '../simulation/plan/workload.js';
import { TableCaller } from '../simulation/run/table-caller.js';
import { pageOf, type SentTableCall, TABLE_WIRE } from '../simulation/run/table-wire.js';
import type { Sender } from '../support/worker-processes.js';
import { Work, type WorkOptions } from './work.js';

const TABLE = 'crash';
const WRITERS_A_PARTITION = 3;
const ROWS = Array.from({ length: 16 }, (_, row) => `row${row}`);
/** A name, and characters. Strings may have 32 Ki; large ones have pages of their own in the file and make it grow. */
const CONTENT = fc.tuple(from(['a', 'b', 'c']), seldom(8, below(30_000), below(200)));
/** Reclaiming more than a thousand rows takes several transactions. */
const TRANSACTIONS = 14;
const TRANSACTION_ROWS = 100;

const upsert = (partition: string, key: string, properties: readonly Property[]): Write => ({
  kind: 'insertOrReplace',
  partition,
  key,
  properties,
  match: 'absent',
});

const batch = (table: string, writes: readonly Write[]): Call => ({
  kind: 'writes',
  table,
  writes,
  isBatch: true,
  prefer: undefined,
});

export class TableWork extends Work<Call, Answer, SentTableCall> {
  readonly #caller = new TableCaller();
  readonly #tables = new Set<string>();
  readonly #partitions = new Set<string>();
  #isMade = false;
  #count = 0;
  #lastTick = 0n;
  /** `n` distinguishes all writes. */
  readonly #properties: fc.Arbitrary<Property[]> = CONTENT.map(([name, length]) => {
    this.#count += 1;
    const text = String(this.#count);
    return [
      ['n', { type: 'Edm.Int32', text }],
      [name, { type: 'Edm.String', text: text.padEnd(length, 'ab') }],
    ];
  });

  constructor({ draw, journal, isOfOne }: WorkOptions) {
    super(draw, new Ledger(TABLE_WIRE, journal, { isOfOne }));
  }

  writers(count: number, port: number, watch: Watch): readonly Hand<Call, Answer>[] {
    this.#tables.add(TABLE);
    return Array.from({ length: count }, (_, client) => {
      const partition = `p${Math.floor(client / WRITERS_A_PARTITION)}`;
      this.#partitions.add(partition);
      const keys = { partitions: [partition], rows: ROWS };
      const { write, transaction, get, query } = workloadOf({
        tables: [TABLE],
        keys,
        properties: this.#properties,
      });
      const actions = oneOf([34, write], [14, transaction], [2, get], [1, query], [1, nextPage]);
      const turn = async (ask: Ask<Call, Answer>): Promise<void> => {
        const made: Call = { kind: 'createTable', table: TABLE };
        const call = this.#isMade ? this.#caller.callOf(this.draw(actions), client) : made;
        const answer = call && (await ask(call));
        if (call === undefined || answer === undefined) return;
        this.#isMade = true;
        this.#caller.learn(client, call, answer);
      };
      return new Hand({ port: () => port, ledger: this.ledger, watch, turn });
    });
  }

  /** The client with a table of its own. */
  life(table: string, port: number, watch: Watch): Hand<Call, Answer> {
    this.#tables.add(table);
    const turn = async (ask: Ask<Call, Answer>): Promise<void> => {
      let answer = await ask({ kind: 'createTable', table });
      for (let left = TRANSACTIONS; left > 0 && answer !== undefined; left -= 1) {
        const writes = Array.from({ length: TRANSACTION_ROWS }, () => {
          this.#count += 1;
          return upsert('p', String(this.#count), [['n', { type: 'Edm.Int32', text: String(this.#count) }]]);
        });
        answer = await ask(batch(table, writes));
      }
      if (answer !== undefined) await ask({ kind: 'deleteTable', table });
    };
    return new Hand({ port: () => port, ledger: this.ledger, watch, turn });
  }

  /** Also every row must be writable, with a version that was never seen. */
  override async judge(sender: Sender): Promise<readonly string[]> {
    const faults = await super.judge(sender);
    if (faults.length > 0) return faults;
    for (const { answer } of this.ledger.history)
      for (const tick of [
        ...(answer?.versions ?? []),
        ...(answer?.entities ?? []).map(({ version }) => version),
      ])
        if (tick !== undefined && tick > this.#lastTick) this.#lastTick = tick;
    this.ledger.history = [];
    const late: string[] = [];
    for (const partition of this.#partitions) {
      const writes = ROWS.map(key => upsert(partition, key, this.draw(this.#properties)));
      const { code, versions } = await this.answerOf(sender, batch(TABLE, writes));
      // Its making may have been lost.
      if (code === 'TableNotFound') this.#isMade = false;
      else if (code !== undefined || versions.some(tick => tick === undefined || tick <= this.#lastTick))
        late.push(`Rewriting ${partition} got ${code} ${versions.join()} after ${this.#lastTick}.`);
    }
    return late;
  }

  protected override async read(sender: Sender, ledger: Ledger<Call, Answer, SentTableCall>): Promise<void> {
    const { tables } = await this.answerOf(
      sender,
      { kind: 'queryTables', top: undefined, from: undefined },
      ledger,
    );
    for (const table of new Set([...this.#tables, ...tables]))
      for (let call: PageCall | undefined = pageOf(table); call !== undefined; ) {
        const { next }: Answer = await this.answerOf(sender, call, ledger);
        call = next && { ...call, from: next };
      }
  }

  protected override faultsOf(history: readonly SentTableCall[], courses: Courses): readonly string[] {
    // A page may end early: a transfer has a time.
    return faultTexts('table', tableFaults(history, { faults: true, jumps: true }, { courses }));
  }
}
