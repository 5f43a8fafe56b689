// The tables of a run: named ones, those that match a name with `*`, or all. Tables are listed only for the latter two,
// so that a SAS for one table is enough for it.
import type { RowSource } from './row-source.js';
import { ToolError } from './tool-error.js';

/** A table of the source, and its name at the target. */
export interface TableName {
  readonly from: string;
  readonly to: string;
}

export interface TableChoice {
  readonly all: boolean;
  /** NAME, NAME=NEW, or a name with `*`. */
  readonly names: readonly string[];
}

const NAME = /^[A-Za-z][A-Za-z0-9]{2,62}$/;
const PATTERN = /^[A-Za-z0-9*]+$/;

export const isTableName = (name: string): boolean => NAME.test(name);

function checked(name: string): string {
  if (!isTableName(name))
    throw new ToolError(
      'usage',
      `${JSON.stringify(name)} is not a table name: letters and digits, a letter first, 3 to 63 of them.`,
    );
  return name;
}

function parseName(text: string): TableName & { readonly isPattern: boolean } {
  const [from = '', to, more] = text.split('=');
  if (more !== undefined)
    throw new ToolError('usage', `--table takes NAME or NAME=NEW, not ${JSON.stringify(text)}.`);
  if (!from.includes('*')) return { from: checked(from), to: checked(to ?? from), isPattern: false };
  if (to !== undefined || !PATTERN.test(from))
    throw new ToolError(
      'usage',
      `--table ${text}: a name with * has letters, digits and * only, and no other name.`,
    );
  return { from, to: from, isPattern: true };
}

/** @throws ToolError usage, unless exactly one of --all and --table is given. */
export function checkChoice({ all, names }: TableChoice): void {
  if (all === names.length > 0)
    throw new ToolError(
      'usage',
      all ? '--all and --table exclude each other.' : 'Name tables with --table, or take --all.',
    );
  for (const name of names) parseName(name);
}

/** @throws ToolError notThere, for a name with `*` that matches none. */
export async function chooseTables(
  choice: TableChoice,
  source: Pick<RowSource, 'tables' | 'name'>,
): Promise<readonly TableName[]> {
  checkChoice(choice);
  const parsed = choice.names.map(parseName);
  const isListed = choice.all || parsed.some(({ isPattern }) => isPattern);
  const there = isListed ? await source.tables() : [];
  if (choice.all) return there.map(name => ({ from: name, to: name }));
  const chosen = new Map<string, TableName>();
  for (const { from, to, isPattern } of parsed) {
    const pattern = new RegExp(`^${from.replaceAll('*', '.*')}$`, 'i');
    const fitting = isPattern ? there.filter(name => pattern.test(name)) : [from];
    if (fitting.length === 0)
      throw new ToolError('notThere', `No table at ${source.name} is called as ${from}.`);
    for (const name of fitting) chosen.set(name.toLowerCase(), { from: name, to: isPattern ? name : to });
  }
  return [...chosen.values()];
}
