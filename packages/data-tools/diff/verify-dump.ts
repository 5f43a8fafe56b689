// `verify`: reports whether a dump is whole, and with --against whether the tables of an account still have the same
// rows. A JSON line per finding, and one per table that is whole.
import { containerFiles } from '../dump/container-files.js';
import { checkIsDump } from '../dump/read-dump.js';
import { selectionOf } from '../dump/since.js';
import { type Finding, rowFindings, verifyFiles } from '../dump/verify.js';
import type { ToolContext } from '../run/context.js';
import type { RowSource } from '../source/row-source.js';
import type { Selection } from '../source/table-rows.js';
import { type DiffResult, diff } from './diff.js';

interface VerifyOptions {
  readonly directory: string;
  /** The account to compare with; it is asked for the dump's selection. */
  readonly against?: ((selection: Selection) => RowSource) | undefined;
}

/** @throws ToolError notThere, or usage for anything other than a dump. */
export async function verifyDump(
  { directory, against }: VerifyOptions,
  context: ToolContext,
): Promise<DiffResult> {
  const { write } = context;
  const container = containerFiles(directory, true, context.source);
  if (container === undefined) checkIsDump(directory, 'verify');
  const { dump, findings } = await verifyFiles(container ?? directory, context.source.signal);
  const onRows = (rows: number): void => {
    context.source.signal?.throwIfAborted();
    context.reporter.rows(rows);
  };
  let count = findings.length;
  const tell = async (found: readonly Finding[]): Promise<void> => {
    for (const finding of found) await write(`${JSON.stringify(finding)}\n`);
  };
  await tell(findings);
  const tables = dump?.manifest.tables ?? [];
  // Damaged files would only repeat their findings.
  if (dump !== undefined && count === 0) {
    for (const table of tables) {
      const isRead = dump.manifest.format !== 'parquet';
      const found = isRead ? await rowFindings(dump, table, onRows) : [];
      await tell(found);
      count += found.length;
      const { name, rows, partitions, checksum } = table;
      if (found.length === 0) await write(`${JSON.stringify({ table: name, rows, partitions, checksum })}\n`);
    }
  }
  const { queues = [], containers = [] } = dump?.manifest ?? {};
  if (count === 0)
    for (const { name, blobs, bytes } of containers)
      await write(`${JSON.stringify({ container: name, blobs, bytes })}\n`);
  if (count === 0)
    for (const { name, messages } of queues) await write(`${JSON.stringify({ queue: name, messages })}\n`);
  if (dump !== undefined && count === 0 && against !== undefined) {
    const choice = { all: false, names: tables.map(({ name }) => name) };
    const to = against(selectionOf(dump.manifest));
    if (choice.names.length > 0) return diff({ from: dump, to, choice }, context);
  }
  return { tables: tables.length, exit: count === 0 ? 'done' : 'different', more: { differences: count } };
}
