// The interface of an engine: a store with contents, health, statistics and tools. A server opens an engine by the address of a
// store (`lmdb:DIR`, `memory:`) and uses it through this interface alone.
// store.ts has the laws of the rows, content.ts those of the contents; docs/engines.md says how to add an engine.
import type { Clock, HistogramCounts } from '#base';
import type { StoreWithContent } from './content.js';
import type { Peers } from './peers.js';
import type { Row, Space } from './store.js';

export interface Engine extends StoreWithContent {
  /** The reason why it cannot serve; undefined if it can. */
  health(): string | undefined;
  /** Its metrics since it was opened. May throw while they are unavailable. */
  statistics(): readonly Statistic[];
  /** The tools for this engine's data. */
  readonly tools: EngineTools;
  /** Where several processes on several machines may have the data open. */
  readonly peers?: Peers | undefined;
}

/** A metric, whose name ends with its unit: `commit_seconds`. */
export type Statistic =
  | { readonly kind: 'counter'; readonly name: string; readonly help: string; readonly value: number }
  | {
      readonly kind: 'gauge';
      readonly name: string;
      readonly help: string;
      readonly value: number;
      /** How to aggregate the values of several processes on the same data; by default their sum. */
      readonly aggregate?: 'sum' | 'max' | 'min';
    }
  | {
      readonly kind: 'histogram';
      readonly name: string;
      readonly help: string;
      readonly counts: HistogramCounts;
    };

/** An engine before any store is open, identified by the scheme of its addresses. */
export interface EngineKind {
  /** The part of an address before the colon, in lower case. */
  readonly scheme: string;
  /** The placeholder for the place in messages that list the known addresses, `scheme:PLACE`; empty if an address has none. */
  readonly placeName: string;
  /** Fails with a `StoreError` whose message names the place. */
  open(place: string, options: EngineOptions): Promise<Engine>;
  tools(place: string): EngineTools;
}

export interface EngineOptions {
  readonly clock: Clock;
  /**
   * `full`: acknowledged commits survive a power cut. `none`: they survive only a kill of the process. Engines with one
   * mode ignore the option.
   */
  readonly durability: 'full' | 'none';
  /** A promise that no other process writes to the same data at the same time. */
  readonly exclusive: boolean;
  /** The bound of the commit queue, in changes; beyond it commits fail with `busy`. */
  readonly waitingMax?: number | undefined;
}

/** What can be done with an engine's data apart from serving it. A tool that the engine does not have is absent. */
export interface EngineTools {
  /** Where the data is, for people: a directory in full, `memory`. Without secrets. */
  readonly place: string;
  /** The directory that contains all of the data. The command locks it for one server at a time. */
  readonly directory?: string | undefined;
  /** The number of processes on one machine that may serve the same data; 1 by default. */
  readonly workersMax?: number | undefined;
  /** Whether stores of this engine have `peers`. */
  readonly hasPeers?: boolean | undefined;
  /** Reads all of the data, which servers may be writing to, as it is at one moment. A damaged file may crash the process. */
  readonly check?: ((inspection: Inspection, onProgress: () => void) => Promise<StoreReport>) | undefined;
  /** Copies the data, which servers may be writing to, as it is at one moment, into a directory. */
  readonly backup?: ((directory: string) => StoreCopy) | undefined;
  /** Restores the data from a backup in a directory; overwrites nothing. */
  readonly restore?: ((directory: string) => StoreCopy) | undefined;
}

/**
 * A copy of a whole store. One process prepares, finishes or discards it, and another one makes it, which may crash on damaged data;
 * so each process has a value of its own, and they share only names on disk.
 */
export interface StoreCopy {
  /** Creates the destination. Fails with `unsupported` if it is not empty or cannot be created. */
  prepare(): PreparedCopy;
  /** Copies and checks the copy, under a temporary name. */
  make(inspection: Inspection, onProgress: () => void): Promise<StoreReport>;
}

interface PreparedCopy {
  /** The atomic install: renames the copy once it is on disk. */
  finish(): void;
  /** Removes what was made, as far as possible. */
  discard(): void;
}

/** A domain's part of a check: findings in the spaces and rows that it wrote. The engine checks their storage. */
export interface Inspection {
  /** The finding in the address or the metadata of a space. */
  space(space: Space): string | undefined;
  /** The finding in a row of a space; the row is valid during the call only. */
  row(space: Space, row: Row): string | undefined;
  /** The contents that a row without a finding names. Absent where rows name none. */
  contents?(space: Space, row: Row): readonly NamedContent[];
}

/** A content, as a row names it. */
export interface NamedContent {
  readonly id: string;
  /** The row names bytes up to here: the content has at least as many. */
  readonly bytes: number;
  /** For a content that names others in turn: these, from all of its bytes. */
  readonly names?: ((bytes: Buffer) => readonly NamedContent[]) | undefined;
  /**
   * Where its bytes are in what the row stands for, in the domain's words: `the bytes 0 to 99 of the blob`. Undefined
   * if the row uses none of them.
   */
  readonly where?: ((from: number, until: number) => string | undefined) | undefined;
}

/** The contents of a store, and the findings of a check. */
export interface StoreReport {
  /** The first findings, one sentence each. */
  readonly findings: readonly string[];
  readonly findingCount: number;
  readonly spaces: readonly SpaceCount[];
  readonly droppedSpaces: number;
  /** Rows of dropped spaces that are not reclaimed yet. */
  readonly droppedRows: number;
  /** The size of the data. */
  readonly bytes: number;
  /** The use of these bytes, in the engine's words: `12 pages in use, 3 free`. */
  readonly usage: string;
  /** Further remarks, a line each. */
  readonly notes: readonly string[];
}

export interface SpaceCount {
  readonly account: string;
  readonly service: string;
  readonly name: string;
  readonly rows: number;
  /** The bytes of the values, with the engine's overhead of each. */
  readonly bytes: number;
}
