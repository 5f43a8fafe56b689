// `copy`: one account into another, rows by key ranges in parallel, without a file in between. A journal allows a
// killed copy to be resumed; the modes are those of load, and --mirror makes tables and containers of the target equal
// the source's: queues, containers and tables that the source lacks stay.
import {
  accountContents,
  type ContentChoice,
  checkTakeMessages,
  contentArguments,
  hasTables,
  serviceNamed,
} from '../contents/account-contents.js';
import { targetsOf, tellContents } from '../contents/write-contents.js';
import { selectionOf, sinceTime } from '../dump/since.js';
import { type Transfer, type TransferEntry, transfer, transferTables } from '../load/transfer.js';
import type { Mode, ToolContext, ToolResult } from '../run/context.js';
import { withJournal } from '../run/journal.js';
import type { Address } from '../source/address.js';
import { Endpoint } from '../source/endpoint.js';
import { readPolicies } from '../source/policies.js';
import { checkChoice, chooseTables, type TableChoice, type TableName } from '../source/table-names.js';
import { TableRows } from '../source/table-rows.js';
import { ToolError } from '../source/tool-error.js';

export interface CopyOptions extends ContentChoice {
  readonly source: Address;
  readonly target: Address;
  readonly choice: TableChoice;
  /** Default: insert. */
  readonly mode?: Mode | undefined;
  readonly mirror?: boolean | undefined;
  readonly filter?: string | undefined;
  readonly since?: string | undefined;
  readonly resume?: boolean | undefined;
  readonly journal?: string | undefined;
  readonly dryRun?: boolean | undefined;
}

/** In the working directory. */
const JOURNAL_DEFAULT = 'shelfmark-copy.journal';

const usage = (message: string): ToolError => new ToolError('usage', message);

function checkOptions(options: CopyOptions): void {
  const { source, target, choice, mode, mirror, filter, since, queues, blobs } = options;
  if (hasTables(options)) checkChoice(choice);
  checkTakeMessages(options);
  if (mirror && options.takeMessages)
    throw usage('--mirror and --take-messages exclude each other: messages have no keys.');
  if (mirror && mode !== undefined) throw usage('--mirror and --mode exclude each other.');
  if (mirror && (filter !== undefined || since !== undefined))
    throw usage('--mirror compares whole tables: it would delete what --filter or --since leave out.');
  for (const [service, isWanted, what] of [
    ['queue', queues, 'Queues'],
    ['blob', blobs, 'Containers'],
  ] as const)
    if (isWanted && source.endpoint(service) === target.endpoint(service))
      throw usage(`${what} would be copied onto themselves: both accounts are the same.`);
}

async function namesOf(
  options: CopyOptions,
  rows: TableRows,
  target: Endpoint,
): Promise<readonly TableName[]> {
  if (!hasTables(options)) return [];
  const names = await chooseTables(options.choice, rows);
  for (const { from, to } of names)
    if (rows.name === target.name && from.toLowerCase() === to.toLowerCase())
      throw usage(`Table ${from} would be copied onto itself: give it another name with ${from}=NEW.`);
  return names;
}

async function transferOf(options: CopyOptions, context: ToolContext): Promise<Transfer & Ends> {
  const service = serviceNamed(options);
  const source = new Endpoint(options.source, service, context.source);
  const target = new Endpoint(options.target, service, context.source);
  const since = options.since === undefined ? undefined : sinceTime(options.since);
  const rows = new TableRows(source, selectionOf({ filter: options.filter, since }));
  return {
    context,
    mode: options.mode ?? 'insert',
    mirror: options.mirror,
    source,
    target,
    tables: {
      names: await namesOf(options, rows, target),
      pages: (name, range) => rows.pages(name, range),
      split: (name, range) => rows.split(name, range),
      readers: context.parallel,
      hasDistinctKeys: true,
      policiesOf: name => readPolicies(source, name, context.reporter),
    },
    contents: journal => accountContents(options.source, options, context, journal),
    targets: targetsOf({ containers: options.blobs, queues: options.queues }, options.target, context),
  };
}

interface Ends {
  readonly source: Endpoint;
  readonly target: Endpoint;
}

/** @throws ToolError */
export async function copy(options: CopyOptions, context: ToolContext): Promise<ToolResult> {
  checkOptions(options);
  const run = await transferOf(options, context);
  if (options.dryRun) return dryRun(run);
  const path = options.journal ?? JOURNAL_DEFAULT;
  const journal = {
    path,
    what: `The journal ${path}`,
    tool: 'copy',
    resume: options.resume ?? false,
    arguments: {
      '--from': run.source.name,
      '--to': run.target.name,
      '--all': options.choice.all,
      '--table': options.choice.names,
      '--mode': run.mode,
      '--mirror': options.mirror ?? false,
      '--filter': options.filter ?? null,
      '--since': options.since ?? null,
      ...contentArguments(options),
    },
  };
  return withJournal<TransferEntry, ToolResult>(journal, opened => transfer(run, opened));
}

/** What would be written, a line each. */
async function dryRun(run: Transfer & Ends): Promise<ToolResult> {
  const tables = await transferTables(run, undefined, true);
  for (const { name, table, rows, deleted } of tables)
    await run.context.write(`${JSON.stringify({ table: name, to: table.name, rows, deleted })}\n`);
  await tellContents(await run.contents(undefined), run.context);
  const deleted = tables.reduce((sum, table) => sum + table.deleted, 0);
  const more = { conflicts: 0, refused: 0, ...(run.mirror && { deleted }) };
  return { tables: tables.length, exit: 'done', more };
}
