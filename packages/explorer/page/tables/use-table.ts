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
  SeenColumns,
  type Sorting,
  sorted,
} from '../../model/columns.js';
import { NEW_DRAFT } from '../../model/draft.js';
import type { Place } from '../client/account.js';
import { ask } from '../shell/dialog.js';
import { RowPages } from './row-pages.js';
import type { Target } from './use-entity.js';

/** The rows of the query; a new query stops the one before. */
function useRows({ account, name }: Place, filter: string) {
  const [asked, setAsked] = useState(0);
  const known = useMemo(() => new SeenColumns(), []);
  // Asking again reads again.
  const pages = useMemo(() => new RowPages({ table: { account, name }, filter }, known), [filter, asked]);
  useEffect(() => {
    void pages.loadMore();
    return () => pages.stop();
  }, [pages]);
  return { pages, again: () => setAsked(count => count + 1) };
}

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
  const head = column.name.length * 7.2 + column.type.length * 6.4 + 34;
  const tag = column.isMixed ? 44 : 0;
  return Math.round(Math.max(MIN, Math.min(MAX, Math.max(head, longest * CHARACTER + PADDING + tag))));
}

/** The columns in sight, with their widths: the user's, or what the first rows need. */
function useColumns(pages: RowPages, choice: ColumnChoice) {
  const all = arranged(pages.columns.value, choice);
  const sample = pages.state.value.rows.slice(0, 50);
  const isSampled = sample.length > 0;
  // The sample is that of the first page.
  const fitting = useMemo(
    () => new Map(all.map(column => [column.name, fittingWidth(column, sample)])),
    [pages, isSampled, all.length],
  );
  const { hidden, widths } = choice;
  const shape = JSON.stringify([all, hidden]);
  // Equal columns stay the same, so that the grid keeps them.
  const columns = useMemo(() => all.filter(({ name }) => !hidden.includes(name)), [shape]);
  const widthOf = useMemo(
    () =>
      ({ name }: Column): number =>
        widths[name] ?? fitting.get(name) ?? 120,
    [fitting, widths],
  );
  return { all, columns, widthOf };
}

/** The rows in the order of a column, or as they were read. */
function useSorting(pages: RowPages) {
  const [sorting, setSorting] = useState<Sorting>();
  const { rows: read } = pages.state.value;
  useEffect(() => setSorting(undefined), [pages]);
  const rows = useMemo(() => (sorting === undefined ? read : sorted(read, sorting)), [sorting, read]);
  const sort = (name: string): void =>
    setSorting(before => {
      if (before?.name !== name) return { name, isDescending: false };
      return before.isDescending ? undefined : { name, isDescending: true };
    });
  return { sorting, sort, rows };
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

export function useTable(table: Place, filter: string) {
  const rows = useRows(table, filter);
  const chosen = useChoice(table);
  const editor = useEditor();
  return {
    ...rows,
    ...chosen,
    ...useColumns(rows.pages, chosen.choice),
    ...useSorting(rows.pages),
    editor,
    insert: () => editor.show({ kind: 'new', draft: NEW_DRAFT }),
  };
}

export type TableState = ReturnType<typeof useTable>;

export interface TableProps {
  readonly state: TableState;
}
