// The state of a table's view: the rows of its query, the columns in sight, their order, the entity in the editor. It has
// one place: the view of another table is another.
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Row } from '#data-tools/line';
import { cellOf } from '../../model/cell.js';
import {
  arranged,
  type Column,
  type ColumnChoice,
  NO_CHOICE,
  propertyIn,
  type Sorting,
  sorted,
} from '../../model/columns.js';
import { NEW_DRAFT } from '../../model/draft.js';
import type { Place } from '../client/account.js';
import type { Selected } from '../client/table-client.js';
import { ask } from '../shell/dialog.js';
import type { Target } from './use-entity.js';
import { useRows } from './use-rows.js';

function stored(key: string): ColumnChoice {
  try {
    return { ...NO_CHOICE, ...(JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<ColumnChoice>) };
  } catch {
    return NO_CHOICE;
  }
}

/** What the user chose for the columns, kept for each table in this browser. */
function useChoice({ account, name }: Place) {
  const key = `shelfmark.columns.${account}.${name}`;
  const [choice, setChoice] = useState(() => stored(key));
  const choose = (changed: ColumnChoice): void => {
    setChoice(changed);
    localStorage.setItem(key, JSON.stringify(changed));
  };
  const widen = (column: string, width: number): void =>
    choose({ ...choice, widths: { ...choice.widths, [column]: width } });
  return { choice, choose, widen };
}

/** What a column may need, from its name and the texts of some rows. */
function fittingWidth(column: Column, rows: readonly Row[]): number {
  const [CHARACTER, PADDING, MIN, MAX] = [7.4, 26, 84, 320];
  const longest = rows.reduce(
    (length, row) => Math.max(length, cellOf(propertyIn(row, column.name)).text.length),
    0,
  );
  const head = column.name.length * 8.6 + column.type.length * 6.8 + 34;
  const tag = column.isMixed ? 44 : 0;
  return Math.round(Math.max(MIN, Math.min(MAX, Math.max(head, longest * CHARACTER + PADDING + tag))));
}

/** The columns in sight, with their widths: the user's, or what the first rows need. */
function useColumns({ read }: ReturnType<typeof useRows>, choice: ColumnChoice) {
  const { hidden, widths } = choice;
  const all = arranged(read.columns, choice);
  const sample = read.rows.slice(0, 50);
  // The sample is that of the first page.
  const fitting = useMemo(
    () => new Map(all.map(column => [column.name, fittingWidth(column, sample)])),
    [sample[0], all.length],
  );
  // Equal columns stay the same, so that the grid keeps them.
  const columns = useMemo(
    () => all.filter(({ name }) => !hidden.includes(name)),
    [JSON.stringify([all, hidden])],
  );
  const widthOf = useMemo(
    () =>
      ({ name }: Column): number =>
        widths[name] ?? fitting.get(name) ?? 120,
    [fitting, widths],
  );
  return { all, columns, widthOf };
}

/** The rows in the order of a column, or as they were read. */
function useSorting({ read, again }: ReturnType<typeof useRows>, filter: string) {
  const [sorting, setSorting] = useState<Sorting>();
  useEffect(() => setSorting(undefined), [filter]);
  const rows = useMemo(
    () => (sorting === undefined ? read.rows : sorted(read.rows, sorting)),
    [sorting, read.rows],
  );
  const sort = (name: string): void =>
    setSorting(before => {
      if (before?.name !== name) return { name, isDescending: false };
      return before.isDescending ? undefined : { name, isDescending: true };
    });
  return {
    sorting,
    sort,
    rows,
    again: (): void => {
      setSorting(undefined);
      again();
    },
  };
}

/** The entity in the editor; one with changes is left only after a question. */
function useEditor() {
  const [target, setTarget] = useState<Target>();
  const [isChanged, setChanged] = useState(false);
  useEffect(() => {
    if (!isChanged) return undefined;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isChanged]);
  /** Without a question, after it was saved or deleted. */
  const replace = (next: Target | undefined): void => {
    setChanged(false);
    setTarget(next);
  };
  const show = (next: Target | undefined): void => {
    if (!isChanged) setTarget(next);
    else
      ask({
        title: 'Discard your changes?',
        action: 'Discard',
        isDanger: true,
        text: 'The entity in the editor has changes that are not saved.',
        perform: () => replace(next),
      });
  };
  return { target, show, setChanged, replace };
}

export function useTable(selected: Selected) {
  const rows = useRows(selected);
  const chosen = useChoice(selected.table);
  const editor = useEditor();
  return {
    ...rows,
    ...chosen,
    ...useColumns(rows, chosen.choice),
    ...useSorting(rows, selected.filter),
    editor,
    insert: () => editor.show({ kind: 'new', draft: NEW_DRAFT }),
  };
}

export type TableState = ReturnType<typeof useTable>;

export interface TableProps {
  readonly state: TableState;
}
