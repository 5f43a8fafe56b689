// One table: its filter box, its rows, and the editor of an entity.
import { Plus, SearchX, Table2 } from 'lucide';
import { counted, groupDigits } from '../../model/cell.js';
import type { Place } from '../client/account.js';
import { Blank, Failure, Spinner } from '../shell/blank.js';
import { Button, LinkButton } from '../shell/button.js';
import { refreshListing } from '../state/resources.js';
import { go } from '../state/route.js';
import { EntityPanel } from './entity-panel.js';
import { FilterBox } from './filter-box.js';
import { Grid } from './grid.js';
import { TableBar } from './table-bar.js';
import { ROWS_MAX } from './use-rows.js';
import { type TableProps, useTable } from './use-table.js';

/** How many rows were read, and what failed. */
function Status({ state }: TableProps) {
  const { read, failure, isLoading, hasMore, isFull, sorting, more } = state;
  const count = read.rows.length;
  return (
    <div class="status" role="status">
      {isLoading && <span class="spinner" aria-hidden="true" />}
      {isLoading && <LinkButton onClick={state.stop}>Stop</LinkButton>}
      <span>
        {counted(count, 'entity', 'entities')}
        {hasMore ? ' read so far' : ''}
      </span>
      <span class="hint">
        {counted(read.pages, 'request')} · {groupDigits(Math.round(read.milliseconds))} ms
      </span>
      {failure !== undefined && count > 0 && (
        <span class="fault">
          {failure} <LinkButton onClick={more}>Try again</LinkButton>
        </span>
      )}
      {isFull && (
        <span class="hint">The grid shows up to {groupDigits(ROWS_MAX)}: filter to see others.</span>
      )}
      {sorting !== undefined && (
        <span class="hint">
          Sorted by {sorting.name}, among the entities read so far.
          {hasMore && (
            <>
              {' '}
              <LinkButton disabled={isLoading} onClick={more}>
                Read more
              </LinkButton>
            </>
          )}
        </span>
      )}
      {hasMore && !isLoading && sorting === undefined && failure === undefined && !isFull && (
        <LinkButton onClick={more}>Read more</LinkButton>
      )}
    </div>
  );
}

/** In place of the grid, when there is no row. */
function Nothing({ state }: TableProps) {
  const { failure, isLoading, hasMore, more, insert, again } = state;
  const { pages } = state.read;
  if (failure !== undefined)
    return (
      <Failure title="The entities cannot be read" sentence={failure} onRetry={again}>
        {failure.startsWith('TableNotFound') && (
          <Button onClick={() => void refreshListing('table')}>Reload the list of tables</Button>
        )}
      </Failure>
    );
  if (isLoading) return <Spinner label={pages > 1 ? `Nothing in ${pages} pages so far…` : 'Reading…'} />;
  if (hasMore)
    return (
      <Blank
        icon={SearchX}
        title={pages === 0 ? 'Stopped' : `Nothing in the first ${counted(pages, 'page')}`}
      >
        <Button kind="primary" onClick={more}>
          Read on
        </Button>
      </Blank>
    );
  return state.selected.filter === '' ? (
    <Blank icon={Table2} title="This table is empty">
      <Button kind="primary" icon={Plus} onClick={insert}>
        Insert the first entity
      </Button>
    </Blank>
  ) : (
    <Blank icon={SearchX} title="No entity matches the filter">
      <p>Values match by type too: 5 is an Int32, 5L an Int64 and 5.0 a Double.</p>
    </Blank>
  );
}

interface TableViewProps extends Place {
  readonly filter: string;
}

export function TableView({ account, name, filter }: TableViewProps) {
  const state = useTable({ table: { account, name }, filter });
  const { knownColumns, again, editor } = state;
  const run = (changed: string): void =>
    changed === filter ? again() : go({ kind: 'table', name, filter: changed });
  return (
    <div class="view-with-panel">
      <div class="view">
        <TableBar state={state} />
        <FilterBox filter={filter} columns={knownColumns} onRun={run} />
        {state.rows.length === 0 ? <Nothing state={state} /> : <Grid state={state} />}
        <Status state={state} />
      </div>
      {editor.target !== undefined && <EntityPanel state={state} target={editor.target} />}
    </div>
  );
}
