// What a table's view says about its rows: how many were read, why there are none, what failed.
import { Plus, SearchX, Table2 } from 'lucide';
import { counted, groupDigits } from '../../model/cell.js';
import type { Sorting } from '../../model/columns.js';
import { Blank, Failure, Spinner } from '../shell/blank.js';
import { Icon } from '../shell/icon.js';
import { refreshListing } from '../state/resources.js';
import { ROWS_MAX, type RowPages } from './row-pages.js';

interface StatusProps {
  readonly pages: RowPages;
  readonly sorting: Sorting | undefined;
}

export function Status({ pages, sorting }: StatusProps) {
  const { count, pages: read, hasMore, isLoading, failure, milliseconds } = pages.state.value;
  const isFull = count >= ROWS_MAX && hasMore;
  return (
    <div class="status" role="status">
      {isLoading && <span class="spinner" aria-hidden="true" />}
      {isLoading && (
        <button type="button" class="link" onClick={() => pages.stop()}>
          Stop
        </button>
      )}
      <span>
        {counted(count, 'entity', 'entities')}
        {hasMore ? ' read so far' : ''}
      </span>
      <span class="hint">
        {counted(read, 'request')} · {groupDigits(Math.round(milliseconds))} ms
      </span>
      {failure !== undefined && count > 0 && (
        <span class="fault">
          {failure}{' '}
          <button type="button" class="link" onClick={() => void pages.loadMore()}>
            Try again
          </button>
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
              <button type="button" class="link" disabled={isLoading} onClick={() => void pages.loadMore()}>
                Read more
              </button>
            </>
          )}
        </span>
      )}
      {hasMore && !isLoading && sorting === undefined && failure === undefined && !isFull && (
        <button type="button" class="link" onClick={() => void pages.loadMore()}>
          Read more
        </button>
      )}
    </div>
  );
}

interface NothingProps {
  readonly pages: RowPages;
  readonly onInsert: () => void;
  readonly onAgain: () => void;
}

/** In place of the grid, when there is no row. */
export function Nothing({ pages, onInsert, onAgain }: NothingProps) {
  const { failure, isLoading, hasMore, pages: read } = pages.state.value;
  if (failure !== undefined)
    return (
      <Failure title="The entities cannot be read" sentence={failure} onRetry={onAgain}>
        {failure.startsWith('TableNotFound') && (
          <button type="button" class="button" onClick={() => void refreshListing('table')}>
            Reload the list of tables
          </button>
        )}
      </Failure>
    );
  if (isLoading || read === 0)
    return <Spinner label={read > 1 ? `Nothing in ${read} pages so far…` : 'Reading…'} />;
  if (hasMore)
    return (
      <Blank icon={SearchX} title={`Nothing in the first ${counted(read, 'page')}`}>
        <p>The scan goes on behind them.</p>
        <button type="button" class="button primary" onClick={() => void pages.loadMore()}>
          Read on
        </button>
      </Blank>
    );
  return pages.filter === '' ? (
    <Blank icon={Table2} title="This table is empty">
      <button type="button" class="button primary" onClick={onInsert}>
        <Icon of={Plus} />
        Insert the first entity
      </button>
    </Blank>
  ) : (
    <Blank icon={SearchX} title="No entity matches the filter">
      <p>Values match by type too: 5 is an Int32, 5L an Int64 and 5.0 a Double.</p>
    </Blank>
  );
}
