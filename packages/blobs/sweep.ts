// The sweep, a background task that reclaims what a killed server left and no operation finds: contents and rows that no head names, and
// uncommitted blocks whose last put was a week ago (protocol: blocks#put-block). The server runs it in small steps, with the pause that each
// step returns. Without a sweep answers stay right.
//
// A pass goes over all containers of all accounts. In each it lists the contents first, then strikes out those that rows name, and drops the
// remaining contents: those written during the pass were not listed. The rows of one blob are read in one scan, because a commit may move a content
// from one of them to another.
import { nextSpace, placeAfter, SWEEP_START, type SweepPlace, type SweepStep } from '#account';
import type { Clock } from '#base';
import type { ContentStore, Position, Row, ScanEnd, Space, Store } from '#store';
import type { BackgroundWork } from './background-work.js';
import { type MergedLayers, mergeLayers } from './body/merge-layers.js';
import { BlobSurvey, contentsOf, type Reclaiming, reclaim } from './body/reclaim.js';
import { commitRows } from './contests.js';
import { STAGING_KEY } from './rows/keys.js';

const NOTHING_MERGED: MergedLayers = { steps: 0, givenUp: [] };
const UNBOUNDED = Number.POSITIVE_INFINITY;
export const EXAMINED_A_STEP = 1000;
const DROPPED_A_STEP = 32;
const PAUSE_OF_SEARCH_MS = 50;
const PAUSE_OF_PASSES_MS = 3_600_000;
/** A week, in ticks. */
const STAGING_LIFE = 7n * 24n * 3600n * 10_000_000n;

interface BlobSweepOptions {
  readonly store: Store;
  readonly content: ContentStore;
  readonly clock: Clock;
  readonly background: BackgroundWork;
  /** As a context has them. */
  readonly ids: () => string;
  /** Called again for each container of a pass. */
  readonly accounts: () => readonly string[];
}

/** A container that is being swept. */
interface Standpoint {
  readonly space: Space;
  /** Contents that no row is known to name. */
  readonly unnamed: Set<string>;
  /** Undefined once all rows were seen. */
  readonly from: Position | undefined;
  /** Rows that a step may look at: more, where one blob has more. */
  readonly examined: number;
}

export class BlobSweep {
  readonly #options: BlobSweepOptions;
  #next: SweepPlace = SWEEP_START;
  #at: Standpoint | undefined;

  constructor(options: BlobSweepOptions) {
    this.#options = options;
  }

  /** Steps must not overlap. After a failure the next step continues with the next container. */
  async step(): Promise<SweepStep> {
    const at = this.#at;
    this.#at = undefined;
    if (at === undefined) return this.#begin();
    return at.from === undefined ? this.#drop(at) : this.#look(at, at.from);
  }

  async #begin(): Promise<SweepStep> {
    const { store, content, accounts } = this.#options;
    const space = await nextSpace(store, accounts(), 'blob', this.#next);
    if (!space) {
      this.#next = SWEEP_START;
      return { reclaimed: 0, isPassOver: true, pauseMs: PAUSE_OF_PASSES_MS };
    }
    this.#next = placeAfter(space);
    const unnamed = new Set<string>();
    for await (const { id } of content.list(space)) unnamed.add(id);
    this.#at = { space, unnamed, from: { partition: '', key: '' }, examined: EXAMINED_A_STEP };
    return { reclaimed: 0, isPassOver: false, pauseMs: 0 };
  }

  async #look(at: Standpoint, from: Position): Promise<SweepStep> {
    const { space, unnamed, examined } = at;
    const seen = new Map<string, BlobSurvey>();
    const end = await this.#survey(space, from, examined, seen);
    // The last blob may have more rows: it is looked at again, as a whole.
    const { next } = end;
    const isCut = next !== undefined && next.key !== '' && seen.has(next.partition);
    if (isCut) seen.delete(next.partition);
    let reclaimed = 0;
    for (const [blob, found] of seen) {
      for (const name of found.named) unnamed.delete(name);
      for (const head of found.heads) {
        if (head.manifest === undefined) continue;
        for (const name of await contentsOf(this.#options, space, head)) unnamed.delete(name);
      }
      reclaimed += await this.#tidy(space, blob, found);
    }
    this.#at = {
      space,
      unnamed,
      from: isCut ? { partition: next.partition, key: '' } : next,
      examined: isCut && seen.size === 0 ? 8 * examined : EXAMINED_A_STEP,
    };
    return { reclaimed, isPassOver: false, pauseMs: PAUSE_OF_SEARCH_MS };
  }

  #survey(space: Space, from: Position, examined: number, seen: Map<string, BlobSurvey>): Promise<ScanEnd> {
    const budget = { rows: UNBOUNDED, bytes: UNBOUNDED, examined, milliseconds: UNBOUNDED };
    return this.#options.store.scan(space, { from }, budget, (row: Row) => {
      const found = seen.get(row.partition) ?? new BlobSurvey();
      seen.set(row.partition, found);
      found.add(row);
      return true;
    });
  }

  async #tidy(space: Space, blob: string, survey: BlobSurvey): Promise<number> {
    const { clock } = this.#options;
    const { staging, deadBlocks, deadExtents } = survey;
    const dead = deadBlocks.rows.length + deadExtents.rows.length;
    const isLayered = survey.heads.some(({ type, layers }) => type === 'PageBlob' && layers.length > 1);
    const merged = isLayered ? await mergeLayers(this.#options, space, blob) : NOTHING_MERGED;
    const isForgotten = staging !== undefined && staging.lastPut + STAGING_LIFE <= clock();
    if (isForgotten)
      await commitRows(this.#options, space, blob, { keys: [STAGING_KEY] }, ({ keys: [row] }) => ({
        result: true,
        deletes: row?.version === staging.version ? [STAGING_KEY] : [],
      }));
    if (!isForgotten && dead === 0 && merged.steps === 0) return 0;
    const context: Reclaiming = this.#options;
    await reclaim(context, space, blob, merged.givenUp);
    return dead + (isForgotten ? 1 : 0);
  }

  async #drop({ space, unnamed, from, examined }: Standpoint): Promise<SweepStep> {
    const names = [...unnamed].slice(0, DROPPED_A_STEP);
    for (const name of names) {
      await this.#options.content.drop(space, name);
      unnamed.delete(name);
    }
    if (unnamed.size > 0) this.#at = { space, unnamed, from, examined };
    return { reclaimed: names.length, isPassOver: false, pauseMs: names.length > 0 ? PAUSE_OF_SEARCH_MS : 0 };
  }
}
