// `--since`: a time, or the directory of an earlier dump, which means the time when that began. Selects rows changed
// since then; deleted rows leave no trace in a table.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatDateTime } from '../line/literal.js';
import { bothFilters, type Selection } from '../source/table-rows.js';
import { ToolError } from '../source/tool-error.js';
import { MANIFEST_PATH, type Manifest, SUMS_PATH } from './manifest.js';

const TIME = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,7})?)?)(Z|[+-]\d\d:\d\d)?)?$/;

/** In the form of a DateTime. @throws ToolError usage */
export function sinceTime(text: string): string {
  if (existsSync(text)) return startOf(text);
  // It may have a signature.
  if (/^https?:/i.test(text))
    throw new ToolError('usage', '--since takes a time or a directory of this machine, not a URL.');
  const [, day, time = '00:00:00', zone = 'Z'] = TIME.exec(text) ?? [];
  const seconds = time.length === 5 ? `${time}:00` : time;
  const whole = `${day}T${seconds}${zone}`;
  if (day === undefined || Number.isNaN(Date.parse(whole)))
    throw new ToolError(
      'usage',
      `--since takes a time such as 2026-01-31T12:00:00Z, or the directory of a dump, not ${JSON.stringify(text)}.`,
    );
  if (zone === 'Z') return formatDateTime(whole);
  // A zone shifts whole minutes: the fraction of the second stays.
  const fraction = /\.\d+/.exec(seconds)?.[0] ?? '';
  const shifted = new Date(Date.parse(`${day}T${seconds.slice(0, 8)}${zone}`)).toISOString();
  return formatDateTime(`${shifted.slice(0, 19)}${fraction}Z`);
}

function startOf(directory: string): string {
  if (!existsSync(join(directory, SUMS_PATH)))
    throw new ToolError('usage', `--since ${directory}: it is not a finished dump.`);
  const { started } = JSON.parse(readFileSync(join(directory, MANIFEST_PATH), 'utf8')) as Manifest;
  return formatDateTime(started);
}

interface Selected {
  readonly filter?: string | null | undefined;
  readonly select?: readonly string[] | null | undefined;
  /** As `sinceTime` returns it. */
  readonly since?: string | null | undefined;
}

/** What a dump or a copy with these options takes from a table. */
export const selectionOf = ({ filter, select, since }: Selected): Selection => ({
  filter: bothFilters(filter ?? '', since ? `Timestamp ge datetime'${since}'` : undefined) || undefined,
  select: select ?? undefined,
});
