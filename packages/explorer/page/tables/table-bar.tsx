// The bar of a table's view: what can be done with the table.
import { Code, Download, Flame, ListX, Plus, RefreshCw, Upload } from 'lucide';
import { type Action, Bar } from '../shell/bar.js';
import { show, useCommands } from '../state/command.js';
import { notifyFailure } from '../state/notice.js';
import { currentAccount, hasHeat } from '../state/resources.js';
import { go } from '../state/route.js';
import { CodeDialog } from './code-dialog.js';
import { ColumnMenu } from './column-menu.js';
import { deleteMatching, exportEntities, importEntities } from './transfers.js';
import type { TableProps, TableState } from './use-table.js';

function showCode({ selected, knownColumns, columns, choice }: TableState): void {
  const { table, filter } = selected;
  const endpoint = currentAccount.value?.endpoints.table ?? '';
  const select = choice.hidden.length === 0 ? undefined : columns.map(({ name }) => name);
  const query = { endpoint, table: table.name, filter, select, columns: knownColumns };
  show(<CodeDialog query={query} />);
}

export function TableBar({ state }: TableProps) {
  const { selected, insert, again } = state;
  const { table, filter } = selected;
  const heat: Action = {
    ...{ label: 'Partitions', icon: Flame, key: 'p' },
    run: () => go({ kind: 'heat', name: table.name }),
  };
  const purge: Action = {
    ...{ label: 'Delete by filter', icon: ListX, isDanger: true },
    run: () => deleteMatching(selected, again),
  };
  const actions: readonly Action[] = [
    {
      ...{ label: 'Query as code', text: 'Code', icon: Code, key: 'q', place: 'button' },
      run: () => showCode(state),
    },
    { label: 'Read again', icon: RefreshCw, key: 'r', place: 'button', run: again },
    { label: 'New entity', icon: Plus, key: 'n', place: 'primary', run: insert },
    ...(hasHeat.value ? [heat] : []),
    { label: 'Export', icon: Download, key: 'e', run: () => exportEntities(selected) },
    {
      ...{ label: 'Import', icon: Upload, key: 'i' },
      run: () => void importEntities(selected, again).catch(notifyFailure),
    },
    ...(filter === '' ? [] : [purge]),
  ];
  useCommands([
    {
      ...{ label: 'Filter the entities', key: '/' },
      run: () => document.querySelector<HTMLElement>('.filter-input')?.focus(),
    },
  ]);
  return (
    <Bar service="table" {...{ ...table, actions }}>
      <ColumnMenu state={state} />
    </Bar>
  );
}
