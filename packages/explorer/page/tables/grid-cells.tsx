// The cells of the grid: of its head and of its rows.
import { ArrowDown, ArrowUp } from 'lucide';
import type { Row } from '#data-tools/line';
import { cellOf } from '../../model/cell.js';
import { propertyIn } from '../../model/columns.js';
import { Icon } from '../shell/icon.js';
import type { Placed } from './use-grid.js';
import type { TableState } from './use-table.js';

interface CellProps {
  readonly placed: Placed;
  readonly state: TableState;
  readonly row: Row | undefined;
  readonly id: string;
  readonly isActive: boolean;
}

const styleOf = ({ column, left }: Placed, { widthOf }: TableState) => ({
  width: `${widthOf(column)}px`,
  ...(left !== undefined && { left: `${left}px` }),
});

export function GridCell({ placed, state, row, id, isActive }: CellProps) {
  const { column, at, left } = placed;
  const property = row && propertyIn(row, column.name);
  const { text, kind } = row === undefined ? { text: '', kind: 'value' } : cellOf(property);
  const isOther = column.isMixed && property !== undefined && property.type !== column.type;
  const classes = [
    'cell',
    kind,
    left === undefined ? '' : 'frozen',
    isActive ? 'active' : '',
    row === undefined ? 'waiting' : '',
  ];
  return (
    <div
      id={id}
      role="gridcell"
      aria-colindex={at + 1}
      aria-label={kind === 'absent' ? 'absent' : undefined}
      class={classes.filter(Boolean).join(' ')}
      style={styleOf(placed, state)}
      data-column={at}
    >
      {isOther && <span class="type-tag">{property.type}</span>}
      <span class="ellipsis">{text}</span>
    </div>
  );
}

const WIDTH_MIN = 60;
const WIDTH_STEP = 20;

export function HeadCell({ placed, state }: Pick<CellProps, 'placed' | 'state'>) {
  const { column, at, left } = placed;
  const { sorting, sort, widen, widthOf } = state;
  const width = widthOf(column);
  const isSorted = sorting?.name === column.name;
  const drag = (event: PointerEvent): void => {
    const handle = event.currentTarget;
    if (!(handle instanceof HTMLElement)) return;
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    const from = event.clientX;
    const move = ({ clientX }: PointerEvent): void =>
      widen(column.name, Math.max(WIDTH_MIN, width + clientX - from));
    handle.addEventListener('pointermove', move);
    handle.addEventListener('lostpointercapture', () => handle.removeEventListener('pointermove', move), {
      once: true,
    });
  };
  const keyed = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? WIDTH_STEP : event.key === 'ArrowLeft' ? -WIDTH_STEP : 0;
    if (!event.altKey || step === 0) return;
    event.preventDefault();
    widen(column.name, Math.max(WIDTH_MIN, width + step));
  };
  return (
    <div
      role="columnheader"
      aria-colindex={at + 1}
      aria-sort={isSorted ? (sorting.isDescending ? 'descending' : 'ascending') : undefined}
      class={left === undefined ? 'head-cell' : 'head-cell frozen'}
      style={styleOf(placed, state)}
    >
      <button
        type="button"
        class="head-button"
        title={`${column.name}: ${column.type}${column.isMixed ? ' and others' : ''}. Alt and arrows change the width`}
        onClick={() => sort(column.name)}
        onKeyDown={keyed}
      >
        <span class="ellipsis">{column.name}</span>
        <span class="head-type">{column.isMixed ? `${column.type}…` : column.type}</span>
        {isSorted && <Icon of={sorting.isDescending ? ArrowDown : ArrowUp} size={13} />}
      </button>
      <div class="resizer" onPointerDown={drag} />
    </div>
  );
}
