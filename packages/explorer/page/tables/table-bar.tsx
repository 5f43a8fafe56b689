// The bar of a table's view: its title, and what can be done with the table.
import { Code, Download, Flame, ListX, Plus, Upload } from 'lucide';
import { useState } from 'preact/hooks';
import { Bar } from '../shell/bar.js';
import { Button } from '../shell/button.js';
import type { MenuItem } from '../shell/menu.js';
import { useCommands } from '../state/command.js';
import { currentAccount, hasHeat } from '../state/resources.js';
import { go } from '../state/route.js';
import { CodeDialog } from './code-dialog.js';
import { ColumnMenu } from './column-menu.js';
import { ExportDialog, ImportDialog, PurgeDialog } from './transfer-dialogs.js';
import type { TableProps } from './use-table.js';

type Opened = 'code' | 'export' | 'import' | 'purge';

interface DialogsProps extends TableProps {
  readonly opened: Opened;
  readonly onClose: () => void;
}

/** The dialog that is open. */
function Dialogs({ state, opened, onClose }: DialogsProps) {
  const { pages, columns, choice, again: onChanged } = state;
  const { selected } = pages;
  switch (opened) {
    case 'code': {
      const endpoint = currentAccount.value?.endpoints.table ?? '';
      const select = choice.hidden.length === 0 ? undefined : columns.map(({ name }) => name);
      const { table, filter } = selected;
      const query = { endpoint, table: table.name, filter, select, columns: pages.knownColumns.value };
      return <CodeDialog query={query} onClose={onClose} />;
    }
    case 'export':
      return <ExportDialog {...{ selected, onClose }} />;
    case 'import':
      return <ImportDialog {...{ selected, onClose, onChanged }} />;
    case 'purge':
      return <PurgeDialog {...{ selected, onClose, onChanged }} />;
  }
}

export function TableBar({ state }: TableProps) {
  const { pages, insert, again } = state;
  const { table, filter } = pages.selected;
  const [opened, setOpened] = useState<Opened>();
  const open = (what: Opened) => (): void => setOpened(what);
  const partitions = (): void => go({ kind: 'heat', name: table.name });
  useCommands(
    () => [
      { title: 'New entity', key: 'n', run: insert },
      { title: 'Read the table again', key: 'r', run: again },
      { title: 'Query as code', key: 'q', run: open('code') },
      ...(hasHeat.value ? [{ title: 'Partitions of the table', key: 'p', run: partitions }] : []),
      { title: 'Export entities', key: 'e', run: open('export') },
      { title: 'Import entities', key: 'i', run: open('import') },
      {
        title: 'Filter the entities',
        key: '/',
        run: () => document.querySelector<HTMLElement>('.filter-input')?.focus(),
      },
    ],
    [pages],
  );
  const purge: MenuItem = { label: 'Delete by filter', icon: ListX, isDanger: true, run: open('purge') };
  const items: readonly MenuItem[] = [
    ...(hasHeat.value ? [{ label: 'Partitions', icon: Flame, run: partitions }] : []),
    { label: 'Export', icon: Download, run: open('export') },
    { label: 'Import', icon: Upload, run: open('import') },
    ...(filter === '' ? [] : [purge]),
  ];
  return (
    <>
      <Bar
        service="table"
        {...table}
        againLabel="Read again"
        onAgain={again}
        primary={{ label: 'New entity', icon: Plus, run: insert }}
        items={items}
      >
        <ColumnMenu state={state} />
        <Button icon={Code} label="Query as code" onClick={open('code')}>
          <span class="wide-only">Code</span>
        </Button>
      </Bar>
      {opened !== undefined && <Dialogs {...{ state, opened }} onClose={() => setOpened(undefined)} />}
    </>
  );
}
