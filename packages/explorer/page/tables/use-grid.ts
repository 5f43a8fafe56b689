// What the grid draws, and its active cell: which rows and columns are in sight, and what keys and the pointer do.
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { type Row, textOf } from '#data-tools/line';
import { type Column, isKey, propertyIn } from '../../model/columns.js';
import { copyText } from '../state/notice.js';
import type { TableState } from './use-table.js';

const ROW_PIXELS = 30;
const HEAD_PIXELS = 34;
/** What is drawn around the part in sight, so that scrolling shows no gaps. */
const AROUND_PIXELS = 240;
/** Rows before the end at which more are asked for. */
const AHEAD = 100;

type Scroller = RefObject<HTMLDivElement | null>;

interface Active {
  readonly row: number;
  readonly column: number;
}

/** A column with its place. */
export interface Placed {
  readonly column: Column;
  /** Among all columns. */
  readonly at: number;
  readonly left: number;
  readonly width: number;
  /** Whether it stays in place: the keys do. */
  readonly isFixed: boolean;
}

/** The part of the contents that the element shows, in steps, so that not every pixel draws anew. */
function useSight(scroller: Scroller) {
  const [sight, setSight] = useState({ left: 0, top: 0, right: 0, bottom: 0 });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const floor = (pixels: number): number => Math.floor(pixels / ROW_PIXELS) * ROW_PIXELS;
    const look = (): void => {
      const { scrollLeft, scrollTop, clientWidth, clientHeight } = element;
      const [left, top] = [floor(scrollLeft), floor(scrollTop)];
      const seen = { left, top, right: left + clientWidth, bottom: top + clientHeight };
      setSight(before => (JSON.stringify(before) === JSON.stringify(seen) ? before : seen));
    };
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, []);
  return sight;
}

function placedOf(columns: readonly Column[], widthOf: (column: Column) => number): readonly Placed[] {
  let left = 0;
  return columns.map((column, at) => {
    const width = widthOf(column);
    left += width;
    return { column, at, left: left - width, width, isFixed: isKey(column.name) };
  });
}

/** The least scroll that shows a part of the contents. @param covered pixels at the start that are under others. */
function nearest(start: number, end: number, scroll: number, size: number, covered: number): number {
  if (start < scroll + covered) return start - covered;
  return Math.max(scroll, end - size);
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
  { rows, editor }: TableState,
  scroller: Scroller,
  placed: readonly Placed[],
  fixed: number,
) {
  const [active, setActive] = useState<Active>({ row: 0, column: 0 });
  const open = ({ partitionKey, rowKey }: Row): void =>
    editor.show({ kind: 'stored', key: { partitionKey, rowKey } });
  const reveal = ({ row, column }: Active): void => {
    const element = scroller.current;
    const to = placed[column];
    if (element === null || to === undefined) return;
    const top = HEAD_PIXELS + row * ROW_PIXELS;
    const { scrollTop, clientHeight, scrollLeft, clientWidth } = element;
    element.scrollTop = nearest(top, top + ROW_PIXELS, scrollTop, clientHeight, HEAD_PIXELS);
    if (!to.isFixed)
      element.scrollLeft = nearest(to.left, to.left + to.width, scrollLeft, clientWidth, fixed);
  };
  const keyed = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget) return;
    const row = rows[active.row];
    const column = placed[active.column]?.column;
    const shown = ((scroller.current?.clientHeight ?? 0) - HEAD_PIXELS) / ROW_PIXELS;
    const moved = movedBy(event, active, rows.length, placed.length, Math.max(1, Math.floor(shown) - 1));
    if (moved !== undefined) {
      setActive(moved);
      reveal(moved);
    } else if (row === undefined || column === undefined) return;
    else if (event.key === 'Enter') open(row);
    else if (event.key === 'c' && (event.ctrlKey || event.metaKey)) {
      const property = propertyIn(row, column.name);
      copyText(property === undefined ? '' : textOf(property), `Copied ${column.name}.`);
    } else return;
    event.preventDefault();
  };
  const clicked = (event: MouseEvent): void => {
    if (!(event.target instanceof Element)) return;
    const numberAt = (name: string) =>
      Number((event.target as Element).closest(`[${name}]`)?.getAttribute(name));
    const at = numberAt('data-row');
    const row = rows[at];
    if (row === undefined) return;
    setActive({ row: at, column: numberAt('data-column') || 0 });
    open(row);
  };
  return { active, keyed, clicked };
}

export function useGrid(state: TableState, scroller: Scroller) {
  const { more, rows, columns, sorting, widthOf } = state;
  const sight = useSight(scroller);
  const placed = useMemo(() => placedOf(columns, widthOf), [columns, widthOf]);
  const end = placed.at(-1);
  const fixed = placed.filter(({ isFixed }) => isFixed);
  const fixedWidth = fixed.reduce((sum, { width }) => sum + width, 0);
  const moving = placed.filter(
    ({ left, width, isFixed }) =>
      !isFixed &&
      left + width > sight.left + fixedWidth - AROUND_PIXELS &&
      left < sight.right + AROUND_PIXELS,
  );
  const rowAt = (pixels: number): number => Math.ceil((pixels - HEAD_PIXELS) / ROW_PIXELS);
  const first = Math.max(0, rowAt(sight.top - AROUND_PIXELS));
  const last = Math.min(rows.length, rowAt(sight.bottom + AROUND_PIXELS));
  useEffect(() => {
    if (last >= rows.length - AHEAD && sorting === undefined) more();
  }, [last, rows.length, sorting]);
  return {
    fixed,
    moving,
    gap: (moving[0]?.left ?? fixedWidth) - fixedWidth,
    /** The first row that is drawn, and all of them. */
    first,
    drawn: rows.slice(first, last),
    topOf: (row: number): number => HEAD_PIXELS + row * ROW_PIXELS,
    height: HEAD_PIXELS + rows.length * ROW_PIXELS,
    width: end === undefined ? 0 : end.left + end.width,
    ...useActive(state, scroller, placed, fixedWidth),
  };
}
