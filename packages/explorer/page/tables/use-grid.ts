// What the grid draws, and its active cell: which rows and columns are in sight, and what keys and the pointer do.
import type { RefObject } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { type Row, textOf } from '#data-tools/line';
import { cellOf } from '../../model/cell.js';
import { type Column, isKey, propertyIn, type Sorting } from '../../model/columns.js';
import { notify } from '../state/notice.js';
import { useVirtual } from './use-virtual.js';

const ROW_PIXELS = 30;
const HEAD_PIXELS = 34;
/** Rows before the end at which more are asked for. */
const AHEAD = 100;

export interface GridProps {
  /** For screen readers. */
  readonly label: string;
  readonly columns: readonly Column[];
  readonly widthOf: (column: Column) => number;
  readonly count: number;
  readonly rowAt: (index: number) => Row | undefined;
  readonly sorting: Sorting | undefined;
  readonly onSort: (name: string) => void;
  readonly onResize: (name: string, width: number) => void;
  readonly onOpen: (row: Row) => void;
  readonly onEnd: () => void;
  readonly onShow: (first: number, last: number) => void;
  /** The keys of the row that is open. */
  readonly opened: string | undefined;
}

export const keyText = ({ partitionKey, rowKey }: Row): string => JSON.stringify([partitionKey, rowKey]);

interface Active {
  readonly row: number;
  readonly column: number;
}

/** A column in sight. */
export interface Placed {
  readonly column: Column;
  /** Among all columns. */
  readonly at: number;
  /** Of a column that stays in place. */
  readonly left: number | undefined;
}

/** Left edges of the columns that stay in place. */
function frozenOf(columns: readonly Column[], widthOf: (column: Column) => number) {
  const frozen = columns.filter(({ name }) => isKey(name));
  let total = 0;
  const lefts = frozen.map(column => {
    const left = total;
    total += widthOf(column);
    return left;
  });
  return { frozen, lefts, total };
}

function movedBy(
  event: KeyboardEvent,
  { row, column }: Active,
  rows: number,
  columns: number,
  screen: number,
) {
  const far = event.ctrlKey || event.metaKey;
  const to: Readonly<Record<string, Active>> = {
    ArrowDown: { row: row + 1, column },
    ArrowUp: { row: row - 1, column },
    ArrowLeft: { row, column: column - 1 },
    ArrowRight: { row, column: column + 1 },
    PageDown: { row: row + screen, column },
    PageUp: { row: row - screen, column },
    Home: far ? { row: 0, column } : { row, column: 0 },
    End: far ? { row: rows - 1, column } : { row, column: columns - 1 },
  };
  const moved = to[event.key];
  const within = (value: number, count: number): number => Math.max(0, Math.min(value, count - 1));
  return moved && { row: within(moved.row, rows), column: within(moved.column, columns) };
}

/** The active cell, and what keys and the pointer do with it. */
function useActive(
  props: GridProps,
  scroller: RefObject<HTMLDivElement | null>,
  reveal: (active: Active) => void,
) {
  const { columns, count, rowAt, onOpen } = props;
  const [active, setActive] = useState<Active>({ row: 0, column: 0 });
  const keyed = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget) return;
    const row = rowAt(active.row);
    const column = columns[active.column];
    const screen = Math.max(
      1,
      Math.floor(((scroller.current?.clientHeight ?? 0) - HEAD_PIXELS) / ROW_PIXELS) - 1,
    );
    const moved = movedBy(event, active, count, columns.length, screen);
    if (moved !== undefined) {
      setActive(moved);
      reveal(moved);
    } else if (event.key === 'Enter' && row !== undefined) onOpen(row);
    else if (
      event.key === 'c' &&
      (event.ctrlKey || event.metaKey) &&
      row !== undefined &&
      column !== undefined
    ) {
      const property = propertyIn(row, column.name);
      void navigator.clipboard.writeText(property === undefined ? '' : textOf(property));
      notify(`Copied ${column.name}.`);
    } else return;
    event.preventDefault();
  };
  const clicked = (event: MouseEvent): void => {
    if (!(event.target instanceof Element)) return;
    const at = Number(event.target.closest('[data-row]')?.getAttribute('data-row') ?? Number.NaN);
    const column = Number(event.target.closest('[data-column]')?.getAttribute('data-column') ?? 0);
    const row = Number.isNaN(at) ? undefined : rowAt(at);
    if (row === undefined) return;
    setActive({ row: at, column });
    onOpen(row);
  };
  return { active, keyed, clicked };
}

const NO_COLUMN: Column = { name: '', type: 'String', isMixed: false };

/** The columns in sight: those that stay, a gap, and the others. */
function useColumnsInSight({ columns, widthOf }: GridProps, scroller: RefObject<HTMLDivElement | null>) {
  const { frozen, lefts, total } = useMemo(() => frozenOf(columns, widthOf), [columns, widthOf]);
  const free = useMemo(() => columns.filter(({ name }) => !isKey(name)), [columns]);
  const across = useVirtual({
    scroller,
    count: free.length,
    sizeOf: index => widthOf(free[index] ?? NO_COLUMN),
    overscan: 3,
    horizontal: true,
    padding: total,
  });
  // The sizes change with the widths.
  useEffect(() => across.measure(), [free, widthOf]);
  const items = across.getVirtualItems();
  return {
    fixed: frozen.map((column, at): Placed => ({ column, at, left: lefts[at] })),
    moving: items.flatMap(({ index }): readonly Placed[] => {
      const column = free[index];
      return column === undefined ? [] : [{ column, at: frozen.length + index, left: undefined }];
    }),
    gap: (items[0]?.start ?? total) - total,
    width: across.getTotalSize(),
    reveal: (column: number) => column >= frozen.length && across.scrollToIndex(column - frozen.length),
  };
}

export function useGrid(props: GridProps, scroller: RefObject<HTMLDivElement | null>) {
  const { count, onEnd, onShow } = props;
  const columns = useColumnsInSight(props, scroller);
  const rows = useVirtual({
    scroller,
    count,
    sizeOf: () => ROW_PIXELS,
    overscan: 8,
    padding: HEAD_PIXELS,
  });
  const reveal = ({ row, column }: Active): void => {
    rows.scrollToIndex(row);
    columns.reveal(column);
  };
  const items = rows.getVirtualItems();
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  useEffect(() => {
    onShow(first, last);
    if (last >= count - AHEAD) onEnd();
  }, [first, last, count, onShow, onEnd]);
  return { columns, items, height: rows.getTotalSize(), ...useActive(props, scroller, reveal) };
}

/** What a column may need, from its name and the texts of some rows. */
export function fittingWidth(column: Column, rows: readonly Row[]): number {
  const [CHARACTER, PADDING, MIN, MAX] = [7.4, 26, 84, 320];
  const longest = rows.reduce(
    (length, row) => Math.max(length, cellOf(propertyIn(row, column.name)).text.length),
    0,
  );
  const head = column.name.length * 7.2 + column.type.length * 6.4 + 34;
  const tag = column.isMixed ? 44 : 0;
  return Math.round(Math.max(MIN, Math.min(MAX, Math.max(head, longest * CHARACTER + PADDING + tag))));
}
