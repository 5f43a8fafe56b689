// The grid: draws only the rows and columns in sight. The keys stay at the left. One cell is active; arrows move it.
import { ArrowDown, ArrowUp } from 'lucide';
import { useRef } from 'preact/hooks';
import type { Row } from '#data-tools/line';
import { cellOf } from '../../model/cell.js';
import { propertyIn } from '../../model/columns.js';
import { Icon } from '../shell/button.js';
import { type Placed, useGrid } from './use-grid.js';
import { isSame } from './use-rows.js';
import type { TableProps, TableState } from './use-table.js';

const styleOf = ({ isFixed, left, width }: Placed) => ({
  width: `${width}px`,
  ...(isFixed && { left: `${left}px` }),
});

interface CellProps {
  readonly placed: Placed;
  readonly row: Row;
  readonly id: string;
  readonly isActive: boolean;
}

function GridCell({ placed, row, id, isActive }: CellProps) {
  const { column, at, isFixed } = placed;
  const property = propertyIn(row, column.name);
  const { text, kind } = cellOf(property);
  const isOther = column.isMixed && property !== undefined && property.type !== column.type;
  return (
    <div
      id={id}
      role="gridcell"
      aria-colindex={at + 1}
      aria-label={kind === 'absent' ? 'absent' : undefined}
      class={`cell ${kind} ${isFixed ? 'frozen' : ''} ${isActive ? 'active' : ''}`}
      style={styleOf(placed)}
      data-column={at}
    >
      {isOther && <span class="type-tag">{property.type}</span>}
      <span class="ellipsis">{text}</span>
    </div>
  );
}

const WIDTH_MIN = 60;
const WIDTH_STEP = 20;

interface HeadCellProps {
  readonly placed: Placed;
  readonly state: TableState;
}

function HeadCell({ placed, state: { sorting, sort, widen } }: HeadCellProps) {
  const { column, at, isFixed, width } = placed;
  const { name, type, isMixed } = column;
  const isSorted = sorting?.name === name;
  const resize = (wanted: number): void => widen(name, Math.max(WIDTH_MIN, wanted));
  const drag = (event: PointerEvent): void => {
    const handle = event.currentTarget;
    if (!(handle instanceof HTMLElement)) return;
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    const from = event.clientX;
    const move = ({ clientX }: PointerEvent): void => resize(width + clientX - from);
    handle.addEventListener('pointermove', move);
    const end = (): void => handle.removeEventListener('pointermove', move);
    handle.addEventListener('lostpointercapture', end, { once: true });
  };
  const keyed = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? WIDTH_STEP : event.key === 'ArrowLeft' ? -WIDTH_STEP : 0;
    if (!event.altKey || step === 0) return;
    event.preventDefault();
    resize(width + step);
  };
  return (
    <div
      role="columnheader"
      aria-colindex={at + 1}
      aria-sort={isSorted ? (sorting.isDescending ? 'descending' : 'ascending') : undefined}
      class={isFixed ? 'head-cell frozen' : 'head-cell'}
      style={styleOf(placed)}
    >
      <button
        type="button"
        class="head-button"
        title={`${name}: ${type}${isMixed ? ' and others' : ''}. Alt and arrows change the width`}
        onClick={() => sort(name)}
        onKeyDown={keyed}
      >
        <span class="ellipsis">{name}</span>
        <span class="head-type">{isMixed ? `${type}…` : type}</span>
        {isSorted && <Icon of={sorting.isDescending ? ArrowDown : ArrowUp} size={13} />}
      </button>
      <div class="resizer" onPointerDown={drag} />
    </div>
  );
}

export function Grid({ state }: TableProps) {
  const { selected, columns, rows, editor } = state;
  const { target } = editor;
  const scroller = useRef<HTMLDivElement>(null);
  const { fixed, moving, gap, first, drawn, topOf, height, active, ...grid } = useGrid(state, scroller);
  const width = `${grid.width}px`;
  const between = <div class="before" style={{ width: `${gap}px` }} />;
  const head = (placed: Placed) => <HeadCell key={placed.column.name} {...{ placed, state }} />;
  const cell = (row: Row, index: number) => (placed: Placed) => (
    <GridCell
      key={placed.column.name}
      id={`cell-${index}-${placed.at}`}
      {...{ placed, row }}
      isActive={active.row === index && active.column === placed.at}
    />
  );
  const isActiveDrawn =
    drawn[active.row - first] !== undefined && [...fixed, ...moving].some(({ at }) => at === active.column);
  return (
    <div
      ref={scroller}
      class="grid"
      role="grid"
      tabIndex={0}
      aria-label={`Entities of ${selected.table.name}`}
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length}
      aria-activedescendant={isActiveDrawn ? `cell-${active.row}-${active.column}` : undefined}
      onKeyDown={grid.keyed}
      onClick={grid.clicked}
    >
      <div class="grid-content" role="presentation" style={{ height: `${height}px`, width }}>
        <div class="grid-head" role="row" aria-rowindex={1} style={{ width }}>
          {fixed.map(head)}
          {between}
          {moving.map(head)}
        </div>
        {drawn.map((row, at) => {
          const index = first + at;
          const isOpened = target?.kind === 'stored' && isSame(row, target.key);
          return (
            <div
              key={index}
              role="row"
              aria-rowindex={index + 2}
              aria-selected={isOpened}
              data-row={index}
              class={isOpened ? 'grid-row opened' : 'grid-row'}
              style={{ transform: `translateY(${topOf(index)}px)`, width }}
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
