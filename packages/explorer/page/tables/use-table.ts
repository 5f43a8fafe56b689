// The state of a table's view: the rows of its query, the columns in sight, their order, the entity in the editor.
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Row } from '#data-tools/line';
import {
  arranged,
  type Column,
  type ColumnChoice,
  SeenColumns,
  type Sorting,
  sorted,
} from '../../model/columns.js';
import { RowPages } from './row-pages.js';
import type { Target } from './use-entity.js';
import { fittingWidth } from './use-grid.js';

/** The rows of the query; a new query stops the one before. */
export function useRows(account: string, name: string, filter: string) {
  const [asked, setAsked] = useState(0);
  const known = useMemo(() => new SeenColumns(), [account, name]);
  // Asking again reads again.
  const pages = useMemo(() => new RowPages(account, name, filter, known), [known, filter, asked]);
  useEffect(() => {
    void pages.loadMore();
    return () => pages.stop();
  }, [pages]);
  return { pages, again: () => setAsked(count => count + 1) };
}

/** The columns in sight, with their widths: the user's, or what the first rows need. */
export function useColumns(pages: RowPages, choice: ColumnChoice) {
  const all = arranged(pages.columns.value, choice);
  const sample = pages.state.value.count === 0 ? [] : pages.loaded().slice(0, 50);
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

/** The order of a column, over the rows that were loaded when it was chosen. */
export function useSorting(pages: RowPages) {
  const [sorting, setSorting] = useState<Sorting>();
  const { version, count } = pages.state.value;
  useEffect(() => setSorting(undefined), [pages]);
  // The version stands for the rows.
  const rows = useMemo(
    () => (sorting === undefined ? undefined : sorted(pages.loaded(), sorting)),
    [sorting, pages, version],
  );
  const sort = (name: string): void =>
    setSorting(before => {
      if (before?.name !== name) return { name, isDescending: false };
      return before.isDescending ? undefined : { name, isDescending: true };
    });
  return {
    sorting,
    sort,
    count: rows?.length ?? count,
    rowAt: (index: number): Row | undefined => (rows === undefined ? pages.rowAt(index) : rows[index]),
  };
}

/** The entity in the editor; one with changes is left only after a question. */
export function useEditor() {
  const [target, setTarget] = useState<Target>();
  const [isChanged, setChanged] = useState(false);
  const [wanted, setWanted] = useState<{ readonly target: Target | undefined }>();
  useEffect(() => {
    if (!isChanged) return undefined;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isChanged]);
  const show = (next: Target | undefined): void => {
    if (isChanged) setWanted({ target: next });
    else setTarget(next);
  };
  const discard = (): void => {
    setChanged(false);
    setTarget(wanted?.target);
    setWanted(undefined);
  };
  return {
    target,
    show,
    discard,
    setChanged,
    isAsking: wanted !== undefined,
    keep: () => setWanted(undefined),
    /** Without a question, after it was saved or deleted. */
    replace: (next: Target | undefined) => {
      setChanged(false);
      setTarget(next);
    },
  };
}
