// A case of the crash matrix: what a program does, and what must be true of it however its processes end. run-case.ts runs it.
import assert from 'node:assert/strict';
import type { TableEntityResult } from '@azure/data-tables';
import { type Db, PatternError } from '#patterns';
import type { Flow, FlowFigures } from '#patterns/flows';
import type { Peer } from '../support/peers.js';
import type { Process } from './process.js';

/** What a case is set up with. Requests of its `db` are no part of the case. */
export interface Ground {
  readonly peer: Peer;
  readonly db: Db;
  /** A name that no other case has. */
  newName(what: string): string;
}

/** Something that does what is left to do. */
export interface Working {
  stop(): Promise<unknown>;
}

/** What is done in a case, and what must be true of it. */
export interface Acts {
  /** What the program does that ends anywhere. */
  operation(db: Db, process: Process): Promise<unknown>;
  /** What another program does: concurrently with the first one, or while that is stalled. */
  rival?(db: Db): Promise<unknown>;
  /** What a process does that does what is left. */
  work?(process: Process): Working | undefined;
  /** Nothing is left except messages. */
  isDone?(): Promise<boolean>;
  /** Throws if what must be true between any two requests is not. */
  always?(): Promise<unknown>;
  /** Throws if what else must be true at the end is not. */
  finally?(): Promise<unknown>;
}

export interface MatrixCase {
  readonly name: string;
  /** Too slow there. */
  readonly notOn?: Peer['name'];
  /** Makes tables, queues and rows. */
  setUp(ground: Ground): Promise<Acts>;
}

/** What audits give: findings, or pages of them. */
type Findings = AsyncIterable<{ readonly findings?: readonly unknown[]; readonly key?: unknown }>;

/** A row as it stands, by the official client. */
export type RawRow = TableEntityResult<Record<string, unknown>>;

/** All rows of a table, by the official client alone: what oracles compute from. */
export async function rawRows(peer: Peer, table: string): Promise<readonly RawRow[]> {
  const rows: RawRow[] = [];
  for await (const row of peer.table(table).listEntities()) rows.push(row);
  return rows;
}

/** How often each of some things was counted up: at least as often as a call ended, and at most as often as one began. */
export class Tally {
  readonly #least: number[] = [];
  readonly #most: number[] = [];

  async up(of: number, call: () => Promise<unknown>): Promise<void> {
    this.#most[of] = (this.#most[of] ?? 0) + 1;
    await call();
    this.#least[of] = (this.#least[of] ?? 0) + 1;
  }

  check(of: number, count: number): void {
    const [least, most] = [this.#least[of] ?? 0, this.#most[of] ?? 0];
    assert(least <= count && count <= most, `${of} is at ${count}, and should be from ${least} to ${most}.`);
  }
}

export async function assertClean(found: Findings): Promise<void> {
  for await (const each of found) {
    const findings = each.findings ?? [each];
    if (findings.length > 0) throw new Error(`The audit found ${JSON.stringify(findings)}`);
  }
}

/** The flow has nothing left, and has put nothing aside. */
export async function assertIdle(flow: Pick<Flow, 'figures'>, db: Db): Promise<void> {
  const { pending, poisoned }: FlowFigures = await flow.figures(db);
  if (pending !== 0 || poisoned !== 0)
    throw new Error(`${pending} messages are left, and ${poisoned} aside.`);
}

/** Each in turn, though one before it is refused. */
export async function tried(...acts: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const act of acts)
    await act().catch((thrown: unknown) => {
      if (!PatternError.is(thrown)) throw thrown;
    });
}
