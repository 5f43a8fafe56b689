// What a store counts: the last tick and the last ids given. Written only together with the changes that used them, so
// that processes that share a directory never give the same one twice.
import type { Clock } from '#base';
import { StoreError } from '#store';
import type { Catalog } from './catalog.js';
import { SPACE_ID_MAX } from './row-key.js';

export interface CounterRecord {
  readonly tick: bigint;
  readonly spaceId: number;
  readonly subtreeId: number;
}

export class Counters {
  readonly #clock: Clock;
  #tick = 0n;
  #spaceId = 0;
  #subtreeId = 0;
  #isChanged = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The last tick used. */
  get tick(): bigint {
    return this.#tick;
  }

  /** At the beginning of a write transaction, or of changes that depend on nobody else's having been made (commit/logged-commits.ts). */
  load(catalog: Catalog): void {
    const record = catalog.getCounters();
    this.#tick = record.tick;
    this.#spaceId = record.spaceId;
    this.#subtreeId = record.subtreeId;
    this.#isChanged = false;
  }

  /** At the end of a write transaction. */
  save(catalog: Catalog): void {
    if (!this.#isChanged) return;
    catalog.putCounters({ tick: this.#tick, spaceId: this.#spaceId, subtreeId: this.#subtreeId });
    this.#isChanged = false;
  }

  /** As they were when this was the last tick, at the end of a write transaction that has no later one. */
  saveAs(tick: bigint, catalog: Catalog): void {
    catalog.putCounters({ tick, spaceId: this.#spaceId, subtreeId: this.#subtreeId });
  }

  /** Later than every tick used so far, whatever the clock says. */
  nextTick(): bigint {
    const now = this.#clock();
    return now > this.#tick ? now : this.#tick + 1n;
  }

  /** Called with the tick of each change that is made. */
  useTick(tick: bigint): void {
    this.#tick = tick;
    this.#isChanged = true;
  }

  nextSpaceId(): number {
    if (this.#spaceId >= SPACE_ID_MAX) throw new StoreError('full', 'No id is left for another space.');
    this.#spaceId += 1;
    this.#isChanged = true;
    return this.#spaceId;
  }

  nextSubtreeId(): number {
    this.#subtreeId += 1;
    this.#isChanged = true;
    return this.#subtreeId;
  }
}
