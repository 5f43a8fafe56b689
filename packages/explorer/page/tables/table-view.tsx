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
import { ROWS_MAX } from './row-pages.js';
import { TableBar } from './table-bar.js';
import { type TableProps, useTable } from './use-table.js';

/** How many rows were read, and what failed. */
function Status({ state: { pages, sorting } }: TableProps) {
  const { rows, pages: read, hasMore, isLoading, failure, milliseconds } = pages.state.value;
  const count = rows.length;
  const more = (): void => void pages.loadMore();
  const isFull = count >= ROWS_MAX && hasMore;
  return (
    <div class="status" role="status">
      {isLoading && <span class="spinner" aria-hidden="true" />}
      {isLoading && <LinkButton onClick={() => pages.stop()}>Stop</LinkButton>}
      <span>
        {counted(count, 'entity', 'entities')}
        {hasMore ? ' read so far' : ''}
      </span>
      <span class="hint">
        {counted(read, 'request')} · {groupDigits(Math.round(milliseconds))} ms
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
function Nothing({ state: { pages, insert, again } }: TableProps) {
  const { failure, isLoading, hasMore, pages: read } = pages.state.value;
  if (failure !== undefined)
    return (
      <Failure title="The entities cannot be read" sentence={failure} onRetry={again}>
        {failure.startsWith('TableNotFound') && (
          <Button onClick={() => void refreshListing('table')}>Reload the list of tables</Button>
        )}
      </Failure>
    );
  if (isLoading || read === 0)
    return <Spinner label={read > 1 ? `Nothing in ${read} pages so far…` : 'Reading…'} />;
  if (hasMore)
    return (
      <Blank icon={SearchX} title={`Nothing in the first ${counted(read, 'page')}`}>
        <p>The scan goes on behind them.</p>
        <Button kind="primary" onClick={() => void pages.loadMore()}>
          Read on
        </Button>
      </Blank>
    );
  return pages.selected.filter === '' ? (
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
  const state = useTable({ account, name }, filter);
  const { pages, again, editor } = state;
  const run = (changed: string): void =>
    changed === filter ? again() : go({ kind: 'table', name, filter: changed });
  return (
    <div class="view-with-panel">
      <div class="view">
        <TableBar state={state} />
        <FilterBox filter={filter} columns={pages.knownColumns.value} onRun={run} />
        {state.rows.length === 0 ? <Nothing state={state} /> : <Grid state={state} />}
        <Status state={state} />
      </div>
      {editor.target !== undefined && <EntityPanel state={state} target={editor.target} />}
    </div>
  );
}
