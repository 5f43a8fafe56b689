// The face of an engine: a store, and what whoever runs it has to know of it beside the rows. A server opens one by the address of a
// store (`lmdb:DIR`, `memory:`), and asks it for its health, its numbers and its tools without knowing which it is.
// The laws of the rows are store.ts's; docs/engines.md says how to add an engine.
import type { Clock, HistogramCounts } from '#base';
import type { Row, Space, Store } from './store.js';

export interface Engine extends Store {
  /** Why it cannot serve; undefined if it can. */
  health(): string | undefined;
  /** What it has counted since it was opened. May throw where it cannot be asked now. */
  statistics(): readonly Statistic[];
  /** Of the place where this one keeps its data. */
  readonly tools: EngineTools;
}

/** A number that is worth watching, under a name that says its unit: `commit_seconds`. */
export type Statistic =
  | { readonly kind: 'counter'; readonly name: string; readonly help: string; readonly value: number }
  | {
      readonly kind: 'gauge';
      readonly name: string;
      readonly help: string;
      readonly value: number;
      /** What the values of several processes on the same data are together; their sum unless given. */
      readonly together?: 'sum' | 'most' | 'least';
    }
  | {
      readonly kind: 'histogram';
      readonly name: string;
      readonly help: string;
      readonly counts: HistogramCounts;
    };

/** One sort of engine, known by the scheme of its addresses, before any store is open. */
export interface EngineKind {
  /** What an address begins with, before the colon: lower case. */
  readonly scheme: string;
  /** What stands for the place in `scheme:PLACE`, where messages list the addresses that are known; empty if there is none. */
  readonly placeName: string;
  /** Fails with a `StoreError` whose message names the place. */
  open(place: string, options: EngineOptions): Promise<Engine>;
  tools(place: string): EngineTools;
}

export interface EngineOptions {
  readonly clock: Clock;
  /**
   * `full`: what was answered survives a power cut. `none`: it survives a kill of the process only. Engines that know no difference do
   * what they do.
   */
  readonly durability: 'full' | 'none';
  /** A promise that no other process writes to the same place meanwhile. */
  readonly exclusive: boolean;
  /** Changes that may wait to be written; one more fails with `busy`. */
  readonly waitingMax?: number | undefined;
}

/** What can be done with the data of an engine beside serving it. What an engine cannot do is absent. */
export interface EngineTools {
  /** Where the data is, for people: a directory in full, `memory`. Without secrets. */
  readonly place: string;
  /** The directory that holds all of the data. A command lets one server at a time have it. */
  readonly directory?: string | undefined;
  /** Processes of one machine that may serve the same data together; 1 unless given. */
  readonly workersMax?: number | undefined;
  /** Reads all of the data, which servers may be writing to, as it is at one moment. A damaged file may crash the process. */
  readonly check?: ((inspection: Inspection, onProgress: () => void) => Promise<StoreReport>) | undefined;
  /** Copies the data, which servers may be writing to, as it is at one moment, into a directory. */
  readonly backup?: ((directory: string) => StoreCopy) | undefined;
  /** Makes the data from what `backup` left in a directory; never over anything. */
  readonly restore?: ((directory: string) => StoreCopy) | undefined;
}

/**
 * A copy of a whole store. It is prepared, finished and discarded in one process and made in another, which may die of what it reads;
 * so each has a value of its own, and they know of each other by names on disk alone.
 */
export interface StoreCopy {
  /** Makes the place of the copy. Fails with `unsupported` if something is there, or it cannot be had. */
  prepare(): PreparedCopy;
  /** Copies and checks the copy; it has no name of its own before it is finished. */
  make(inspection: Inspection, onProgress: () => void): Promise<StoreReport>;
}

export interface PreparedCopy {
  /** Gives the copy its name, once it is on disk. */
  finish(): void;
  /** Leaves nothing behind of what was made, as far as it can be removed. */
  discard(): void;
}

/** What a domain finds wrong in what it wrote. The engine judges spaces and rows as such. */
export interface Inspection {
  /** What is wrong with the address or the metadata of a space. */
  space(space: Space): string | undefined;
  /** What is wrong with a row of a space, which is valid during the call only. */
  row(space: Space, row: Row): string | undefined;
}

/** What is in a store, and what is wrong with it. */
export interface StoreReport {
  /** One sentence each, a bounded number of them. */
  readonly faults: readonly string[];
  readonly faultCount: number;
  readonly spaces: readonly SpaceCount[];
  readonly droppedSpaces: number;
  /** Of dropped spaces, not reclaimed yet. */
  readonly droppedRows: number;
  /** That the data takes. */
  readonly bytes: number;
  /** How these are used, in the engine's words: `12 pages in use, 3 free`. */
  readonly usage: string;
  /** What else there is to say, a line each. */
  readonly notes: readonly string[];
}

export interface SpaceCount {
  readonly account: string;
  readonly service: string;
  readonly name: string;
  readonly rows: number;
  /** Of the values, with what the engine keeps beside each. */
  readonly bytes: number;
}
