// What a table's view says about its rows: how many were read, why there are none, what failed.
import { Plus, SearchX, Table2 } from 'lucide';
import { counted, groupDigits } from '../../model/cell.js';
import { Blank, Failure, Spinner } from '../shell/blank.js';
import { Button, LinkButton } from '../shell/button.js';
import { refreshListing } from '../state/resources.js';
import { ROWS_MAX } from './row-pages.js';
import type { TableProps } from './use-table.js';

export function Status({ state: { pages, sorting } }: TableProps) {
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
export function Nothing({ state: { pages, insert, again } }: TableProps) {
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
