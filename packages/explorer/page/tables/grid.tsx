// The grid: draws only the rows and columns in sight. The keys stay at the left. One cell is active; arrows move it.
import { useRef } from 'preact/hooks';
import type { Row } from '#data-tools/line';
import { GridCell, HeadCell } from './grid-cells.js';
import { isSame } from './row-pages.js';
import { type Placed, useGrid } from './use-grid.js';
import type { TableProps } from './use-table.js';

export function Grid({ state }: TableProps) {
  const { pages, columns: all, count, rowAt, editor } = state;
  const { target } = editor;
  const scroller = useRef<HTMLDivElement>(null);
  const { columns, items, height, active, keyed, clicked } = useGrid(state, scroller);
  const { fixed, moving, gap } = columns;
  const width = `${columns.width}px`;
  const between = <div class="before" style={{ width: `${gap}px` }} />;
  const head = (placed: Placed) => <HeadCell key={placed.column.name} {...{ placed, state }} />;
  const cell = (row: Row | undefined, index: number) => (placed: Placed) => (
    <GridCell
      key={placed.column.name}
      id={`cell-${index}-${placed.at}`}
      {...{ placed, state, row }}
      isActive={active.row === index && active.column === placed.at}
    />
  );
  const isActiveDrawn =
    items.some(({ index }) => index === active.row) &&
    [...fixed, ...moving].some(({ at }) => at === active.column);
  return (
    <div
      ref={scroller}
      class="grid"
      role="grid"
      tabIndex={0}
      aria-label={`Entities of ${pages.selected.table.name}`}
      aria-rowcount={count + 1}
      aria-colcount={all.length}
      aria-activedescendant={isActiveDrawn ? `cell-${active.row}-${active.column}` : undefined}
      onKeyDown={keyed}
      onClick={clicked}
    >
      <div class="grid-content" role="presentation" style={{ height: `${height}px`, width }}>
        <div class="grid-head" role="row" aria-rowindex={1} style={{ width }}>
          {fixed.map(head)}
          {between}
          {moving.map(head)}
        </div>
        {items.map(({ index, start }) => {
          const row = rowAt(index);
          const isOpened = row !== undefined && target?.kind === 'stored' && isSame(row, target.key);
          return (
            <div
              key={index}
              role="row"
              aria-rowindex={index + 2}
              aria-selected={isOpened}
              data-row={index}
              class={isOpened ? 'grid-row opened' : 'grid-row'}
              style={{ transform: `translateY(${start}px)`, width }}
            >
              {fixed.map(cell(row, index))}
              {between}
              {moving.map(cell(row, index))}
            </div>
          );
        })}
      </div>
    </div>
  );
}
