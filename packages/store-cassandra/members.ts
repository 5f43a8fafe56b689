// The processes that have the store open. Each counts up a row of its own once a second, with the count at which its
// oldest pin began: so others know without a common clock when all pins of some moment are gone. The row also has the
// address where others may send requests: live-members.ts's.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Peer } from '#store';
import { FORGET_MEMBER, LIST_MEMBERS, MEMBER_SECONDS, PUT_MEMBER } from './layout/schema.js';
import type { LiveMembers } from './live-members.js';
import type { Columns, Session } from './session/session.js';

const BEAT_MS = 1000;
const ID_BYTES = 10;
/** A process that could not count for this long stops answering: others take it for ended at twice the time. */
const LEASE_MS = (MEMBER_SECONDS * 1000) / 2;

/**
 * How long a process may act on having seen no other. A process that starts next to others waits for longer, by its own
 * clock, before it does anything.
 */
const ALONE_MS = 2000;
const CLOCKS = 1.1;

/** The counts of others when a question was asked. */
export type Standing = ReadonlyMap<string, bigint>;

interface Member {
  readonly beat: bigint;
  /** Undefined without a pin. */
  readonly pinned: bigint | undefined;
  readonly peer: Peer | undefined;
}

export class Members {
  readonly id = randomBytes(ID_BYTES).toString('hex');
  readonly #session: Session;
  readonly #oldestPin: () => bigint | undefined;
  readonly #live: LiveMembers;
  readonly #ended = new AbortController();
  #beat = 0n;
  #lastBeat = performance.now();
  #aloneUntil = 0;
  #alonePeriod = 0;
  #running: Promise<void> = Promise.resolve();

  /** `oldestPin` returns the value of `beat` when the oldest pin began. */
  constructor(session: Session, oldestPin: () => bigint | undefined, live: LiveMembers) {
    this.#session = session;
    this.#oldestPin = oldestPin;
    this.#live = live;
  }

  /** The count in the next written row. */
  get beat(): bigint {
    return this.#beat;
  }

  /** Others may take this process for ended soon. */
  get isLate(): boolean {
    return performance.now() - this.#lastBeat > LEASE_MS;
  }

  /**
   * The number of the period during which no other process has had the store open, nor ended silently; undefined while
   * others may have.
   */
  get alone(): number | undefined {
    return performance.now() < this.#aloneUntil ? this.#alonePeriod : undefined;
  }

  /** Resolves when the others can see this process, and none takes itself for exclusive. */
  async begin(): Promise<void> {
    await this.count();
    if (this.alone === undefined) await sleep(ALONE_MS * CLOCKS);
    this.#running = this.#run();
  }

  async close(): Promise<void> {
    this.#ended.abort();
    await this.#running;
    await this.#session.write({ query: FORGET_MEMBER, params: [this.id] }).catch(() => undefined);
  }

  /** Processes that run, or ended silently less than MEMBER_SECONDS ago. */
  async ids(): Promise<ReadonlySet<string>> {
    return new Set((await this.#list()).keys());
  }

  /** The current counts of the others. */
  async standing(): Promise<Standing> {
    const members = await this.#list();
    members.delete(this.id);
    return new Map([...members].map(([id, { beat }]) => [id, beat]));
  }

  /**
   * Whether none of the others' pins from `since` is left. The row that was read then may be followed by one whose pins
   * are older; the row after that has only newer pins.
   */
  async areUnpinned(since: Standing): Promise<boolean> {
    if (since.size === 0) return true;
    const members = await this.#list();
    return [...since].every(([id, beat]) => {
      const member = members.get(id);
      if (member === undefined) return true;
      const known = beat + 1n;
      return member.beat > known && (member.pinned === undefined || member.pinned > known);
    });
  }

  async #list(): Promise<Map<string, Member>> {
    const { rows } = await this.#session.read({ query: LIST_MEMBERS, params: [] });
    return new Map(
      rows.map(row => [
        row.text('id'),
        { beat: row.long('beat') ?? 0n, pinned: row.long('pinned'), peer: peerOf(row) },
      ]),
    );
  }

  async #run(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      await sleep(BEAT_MS, undefined, { signal, ref: false }).catch(() => undefined);
      if (!signal.aborted) await this.count().catch(() => undefined);
    }
  }

  /** Writes the row, and reads those of others. */
  async count(): Promise<void> {
    const began = performance.now();
    this.#beat += 1n;
    const peer = this.#live.own;
    await this.#session.write({
      query: PUT_MEMBER,
      params: [this.id, this.#beat, this.#oldestPin() ?? null, peer?.url ?? null, peer?.lease ?? null],
    });
    this.#lastBeat = began;
    this.#live.renew(began);
    const looked = performance.now();
    const members = await this.#list();
    if (this.alone === undefined) this.#alonePeriod += 1;
    this.#aloneUntil = [...members.keys()].every(id => id === this.id) ? looked + ALONE_MS : 0;
    if (peer !== undefined) this.#live.see(members);
  }
}

function peerOf(row: Columns): Peer | undefined {
  const url = row.optionalText('url');
  const lease = row.optionalText('lease');
  return url === undefined || lease === undefined ? undefined : { id: row.text('id'), url, lease };
}
