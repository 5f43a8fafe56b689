// A case of the crash matrix: a short value that describes what a program does and what must be true of it however its processes end. run-case.ts runs it.
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
  stop(): Promise<void>;
}

/** An operation, and what must be true of it however its processes end. `W` is what it is about. */
export interface MatrixCase<W = unknown> {
  readonly name: string;
  /** Too slow there. */
  readonly notOn?: Peer['name'];
  /** Tables, queues and rows, as they are before. */
  setUp(ground: Ground): Promise<W>;
  /** What the program does that ends anywhere. */
  operation(world: W, db: Db, process: Process): Promise<unknown>;
  /** What another program does: concurrently with the first one, or while that is stalled. */
  rival?(world: W, db: Db, process: Process): Promise<unknown>;
  /** What a process does that does what is left. */
  work?(world: W, process: Process): Working;
  /** Nothing is left except messages. */
  isDone?(world: W, ground: Ground): Promise<boolean>;
  /** Throws if what must be true between any two requests is not. */
  always?(world: W, ground: Ground): Promise<void>;
  /** Throws if what must be true at the end is not. */
  finally(world: W, ground: Ground): Promise<void>;
}

/** Of a case, whatever it is about. */
export const matrixCase = <W>(each: MatrixCase<W>): MatrixCase => each as unknown as MatrixCase;

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

/** The row of this name among those of a table. */
export const tagOf = ({ EntityType }: RawRow): string => String(EntityType ?? '').replace(/\.\d+$/, '');

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
