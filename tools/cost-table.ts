// Makes a table of the costs of operations: a line for each operation, and one or two columns for each kind: the write,
// and the flow's worker after it. Each cell is counted on a server in memory.
import { TableServiceClient } from '@azure/data-tables';
import { BlobServiceClient } from '@azure/storage-blob';
import { serve } from 'shelfmark';
import { type AnyEntity, type Db, PatternError, type Repo } from '#patterns';
import { Counted, type CountedFlow, drain } from './counted-requests.js';

/** The table of all rows, and the container of the lists. */
export const COST_TABLE = 'Costs';
export const COST_CONTAINER = 'costs';

/** The rows that an operation finds. */
export interface Scene {
  /**
   * Reads what operations need, when the flow's messages are done. Returns a function that performs the operation of a
   * line, or undefined if there is none.
   */
  ready(): Promise<(line: number) => Promise<unknown> | undefined>;
  /** Deletes all rows. */
  clear(): Promise<void>;
}

export interface CostColumn {
  readonly title: string;
  readonly flow?: CountedFlow | undefined;
  /** Writes the rows that an operation finds. */
  prepare(db: Db): Promise<Scene>;
}

/** Deletes the rows of an entity in its one partition. */
export async function deleteAll<E extends AnyEntity>(rows: Repo<E>): Promise<void> {
  for (const row of await rows.partition({} as never).take(10)) await rows.delete(row);
}

const titlesOf = ({ title, flow }: CostColumn): readonly string[] =>
  flow === undefined ? [title] : [`${title}: the write`, 'the worker'];

/** The requests of the operation; `refused` if its value is invalid, and a dash if there is none. */
async function writeCell(
  program: Counted,
  flow: CountedFlow | undefined,
  run: () => Promise<unknown> | undefined,
): Promise<string> {
  let isThere = true;
  try {
    const counted = await program.count(async () => {
      const running = run();
      isThere = running !== undefined;
      await running;
      return flow ? (await flow.figures(program.db)).pending : 0;
    });
    return isThere ? counted : '–';
  } catch (thrown) {
    if (PatternError.is(thrown, 'ValueInvalid')) return 'refused';
    throw thrown;
  }
}

/** One operation: the write, and its worker if there is one. */
async function cellsOf(program: Counted, column: CostColumn, line: number): Promise<readonly string[]> {
  const { db } = program;
  const { flow } = column;
  const settle = async (): Promise<number> => (flow ? drain(db, flow) : 0);
  const scene = await column.prepare(db);
  await settle();
  const run = await scene.ready();
  const write = await writeCell(program, flow, () => run(line));
  const worker = await program.count(settle);
  await scene.clear();
  await settle();
  return flow ? [write, worker] : [write];
}

/** A table, as it appears on its page. */
export async function costTable(
  operations: readonly string[],
  columns: readonly CostColumn[],
): Promise<string> {
  const server = await serve({ data: undefined });
  try {
    const connection = server.connectionString();
    const tables = TableServiceClient.fromConnectionString(connection, { allowInsecureConnection: true });
    await tables.createTable(COST_TABLE);
    await BlobServiceClient.fromConnectionString(connection).createContainer(COST_CONTAINER);
    const program = new Counted(connection);
    for (const { flow } of columns) await flow?.createQueues(program.db);
    const lines: string[] = [];
    for (const [line, title] of operations.entries()) {
      const cells: string[] = [];
      for (const column of columns) cells.push(...(await cellsOf(program, column, line)));
      lines.push(`| ${[title, ...cells].join(' | ')} |`);
    }
    const names = columns.flatMap(titlesOf);
    return [
      `| requests / rows written | ${names.join(' | ')} |`,
      `|---|${'---|'.repeat(names.length)}`,
      ...lines,
    ].join('\n');
  } finally {
    await server.close();
  }
}
