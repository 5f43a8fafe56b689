// The bar of a table's view: its title, and what can be done with the table.
import { Code, Download, Ellipsis, Flame, KeyRound, ListX, Plus, RefreshCw, Trash2, Upload } from 'lucide';
import { useState } from 'preact/hooks';
import type { Column, ColumnChoice } from '../../model/columns.js';
import { deleteTable } from '../client/table-client.js';
import { Loss } from '../shell/dialog.js';
import { Icon } from '../shell/icon.js';
import { Menu, type MenuItem } from '../shell/menu.js';
import { useCommands } from '../state/command.js';
import { notify } from '../state/notice.js';
import { currentAccount, hasHeat, refreshListing } from '../state/resources.js';
import { go } from '../state/route.js';
import { CodeDialog } from './code-dialog.js';
import { ColumnMenu } from './column-menu.js';
import type { RowPages } from './row-pages.js';
import { ExportDialog, ImportDialog, PurgeDialog } from './transfer-dialogs.js';

type Opened = 'code' | 'drop' | 'export' | 'import' | 'purge';

interface BarProps {
  readonly pages: RowPages;
  /** In sight, and all of them. */
  readonly columns: readonly Column[];
  readonly all: readonly Column[];
  readonly choice: ColumnChoice;
  readonly onChoose: (choice: ColumnChoice) => void;
  readonly onInsert: () => void;
  readonly onAgain: () => void;
}

interface DialogsProps extends Pick<BarProps, 'pages' | 'columns' | 'choice' | 'onAgain'> {
  readonly opened: Opened;
  readonly onClose: () => void;
}

/** The dialog that is open. */
function Dialogs({ pages, columns, choice, opened, onClose, onAgain }: DialogsProps) {
  const { account, table, filter } = pages;
  const endpoint = currentAccount()?.endpoints.table ?? '';
  const selected = { target: { account, table }, filter };
  const drop = async (): Promise<void> => {
    await deleteTable(account, table);
    notify(`Deleted table ${table}.`);
    go({ kind: 'home' });
    await refreshListing('table');
  };
  switch (opened) {
    case 'code': {
      const select = choice.hidden.length === 0 ? undefined : columns.map(({ name }) => name);
      const query = { endpoint, table, filter, select, columns: pages.knownColumns.value };
      return <CodeDialog query={query} onClose={onClose} />;
    }
    case 'export':
      return <ExportDialog {...{ selected, onClose }} />;
    case 'import':
      return <ImportDialog {...{ selected, onClose }} onChanged={onAgain} />;
    case 'purge':
      return <PurgeDialog {...{ selected, onClose }} onChanged={onAgain} />;
    case 'drop':
      return (
        <Loss
          title={`Delete table ${table}?`}
          action="Delete the table"
          name={table}
          perform={drop}
          onClose={onClose}
        >
          <p>All of its entities go with it. There is no way back.</p>
        </Loss>
      );
  }
}

/** The title, and what can be done with the table. */
export function TableBar(props: BarProps) {
  const { pages, columns, all, choice, onChoose, onInsert, onAgain } = props;
  const { table, filter } = pages;
  const [opened, setOpened] = useState<Opened>();
  useCommands(
    () => [
      { title: 'New entity', key: 'n', run: onInsert },
      { title: 'Read the table again', key: 'r', run: onAgain },
      { title: 'Query as code', key: 'q', run: () => setOpened('code') },
      ...(hasHeat.value
        ? [{ title: 'Partitions of the table', key: 'p', run: () => go({ kind: 'heat', name: table }) }]
        : []),
      { title: 'Export entities', key: 'e', run: () => setOpened('export') },
      { title: 'Import entities', key: 'i', run: () => setOpened('import') },
      {
        title: 'Filter the entities',
        key: '/',
        run: () => document.querySelector<HTMLElement>('.filter-input')?.focus(),
      },
    ],
    [pages],
  );
  const sign: MenuItem = {
    label: 'Shared access signature',
    icon: KeyRound,
    run: () => go({ kind: 'signature', scope: 'table', resource: table }),
  };
  const partitions: MenuItem = {
    label: 'Partitions',
    icon: Flame,
    run: () => go({ kind: 'heat', name: table }),
  };
  const items: readonly MenuItem[] = [
    ...(hasHeat.value ? [partitions] : []),
    { label: 'Export', icon: Download, run: () => setOpened('export') },
    { label: 'Import', icon: Upload, run: () => setOpened('import') },
    ...(currentAccount()?.canSign ? [sign] : []),
    ...(filter === ''
      ? []
      : [{ label: 'Delete by filter', icon: ListX, isDanger: true, run: () => setOpened('purge') }]),
    { label: 'Delete the table', icon: Trash2, isDanger: true, run: () => setOpened('drop') },
  ];
  return (
    <header class="bar">
      <h1 class="ellipsis" title={table}>
        {table}
      </h1>
      <div class="row">
        <ColumnMenu columns={all} {...{ choice, onChoose }} />
        <button
          type="button"
          class="button"
          title="Query as code"
          aria-label="Query as code"
          onClick={() => setOpened('code')}
        >
          <Icon of={Code} />
          <span class="wide-only">Code</span>
        </button>
        <button type="button" class="button" title="Read again" aria-label="Read again" onClick={onAgain}>
          <Icon of={RefreshCw} />
        </button>
        <button type="button" class="button primary" onClick={onInsert}>
          <Icon of={Plus} />
          New entity
        </button>
        <Menu
          label="More about this table"
          button={<Icon of={Ellipsis} />}
          buttonClass="button square"
          items={items}
        />
      </div>
      {opened !== undefined && (
        <Dialogs {...{ pages, columns, choice, opened, onAgain }} onClose={() => setOpened(undefined)} />
      )}
    </header>
  );
}
