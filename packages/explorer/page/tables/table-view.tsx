// One table: its filter box, its rows, and the editor of an entity.
import type { Place } from '../client/account.js';
import { Loss } from '../shell/dialog.js';
import { go } from '../state/route.js';
import { EntityPanel } from './entity-panel.js';
import { FilterBox } from './filter-box.js';
import { Grid } from './grid.js';
import { TableBar } from './table-bar.js';
import { Nothing, Status } from './table-status.js';
import { useTable } from './use-table.js';

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
      {editor.isAsking && (
        <Loss title="Discard your changes?" action="Discard" perform={editor.discard} onClose={editor.keep}>
          <p>The entity in the editor has changes that are not saved.</p>
        </Loss>
      )}
    </div>
  );
}
