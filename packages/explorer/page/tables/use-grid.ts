// What the grid draws, and its active cell: which rows and columns are in sight, and what keys and the pointer do.
import type { RefObject } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { type Row, textOf } from '#data-tools/line';
import { type Column, isKey, propertyIn } from '../../model/columns.js';
import { copyText } from '../state/notice.js';
import type { TableState } from './use-table.js';
import { useVirtual } from './use-virtual.js';

const ROW_PIXELS = 30;
const HEAD_PIXELS = 34;
/** Rows before the end at which more are asked for. */
const AHEAD = 100;

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
  state: TableState,
  scroller: RefObject<HTMLDivElement | null>,
  reveal: (active: Active) => void,
) {
  const { columns, count, rowAt, editor } = state;
  const open = ({ partitionKey, rowKey }: Row): void =>
    editor.show({ kind: 'stored', key: { partitionKey, rowKey } });
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
    } else if (event.key === 'Enter' && row !== undefined) open(row);
    else if (
      event.key === 'c' &&
      (event.ctrlKey || event.metaKey) &&
      row !== undefined &&
      column !== undefined
    ) {
      const property = propertyIn(row, column.name);
      copyText(property === undefined ? '' : textOf(property), `Copied ${column.name}.`);
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
    open(row);
  };
  return { active, keyed, clicked };
}

const NO_COLUMN: Column = { name: '', type: 'String', isMixed: false };

/** The columns in sight: those that stay, a gap, and the others. */
function useColumnsInSight({ columns, widthOf }: TableState, scroller: RefObject<HTMLDivElement | null>) {
  const { frozen, lefts, total } = useMemo(() => frozenOf(columns, widthOf), [columns, widthOf]);
  const free = useMemo(() => columns.filter(({ name }) => !isKey(name)), [columns]);
  const across = useVirtual(scroller, {
    count: free.length,
    estimateSize: index => widthOf(free[index] ?? NO_COLUMN),
    overscan: 3,
    horizontal: true,
    paddingStart: total,
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

export function useGrid(state: TableState, scroller: RefObject<HTMLDivElement | null>) {
  const { count, pages, sorting } = state;
  const columns = useColumnsInSight(state, scroller);
  const rows = useVirtual(scroller, {
    count,
    estimateSize: () => ROW_PIXELS,
    overscan: 8,
    paddingStart: HEAD_PIXELS,
  });
  const reveal = ({ row, column }: Active): void => {
    rows.scrollToIndex(row);
    columns.reveal(column);
  };
  const items = rows.getVirtualItems();
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  useEffect(() => {
    pages.showing(first, last);
    if (last >= count - AHEAD && sorting === undefined) void pages.loadMore();
  }, [first, last, count, pages, sorting]);
  return { columns, items, height: rows.getTotalSize(), ...useActive(state, scroller, reveal) };
}
