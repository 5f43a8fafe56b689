// One table: its filter box, its rows, and the editor of an entity.
import { Code, Ellipsis, KeyRound, Plus, RefreshCw, Trash2 } from 'lucide';
import { useMemo, useState } from 'preact/hooks';
import type { Key, Row } from '#data-tools/line';
import type { Column, ColumnChoice } from '../../model/columns.js';
import { type Draft, NEW_DRAFT } from '../../model/draft.js';
import { sentenceOf } from '../client/ask.js';
import { deleteTable } from '../client/table-client.js';
import { Confirm } from '../shell/dialog.js';
import { Icon } from '../shell/icon.js';
import { Menu } from '../shell/menu.js';
import { useCommands } from '../state/command.js';
import { notify } from '../state/notice.js';
import { currentAccount, refreshListing } from '../state/resources.js';
import { go } from '../state/route.js';
import { CodeDialog } from './code-dialog.js';
import { ColumnMenu, columnChoice } from './column-menu.js';
import { EntityPanel } from './entity-panel.js';
import { FilterBox } from './filter-box.js';
import { Grid } from './grid.js';
import type { RowPages } from './row-pages.js';
import { Nothing, Status } from './table-status.js';
import type { Target } from './use-entity.js';
import { keyText } from './use-grid.js';
import { useColumns, useEditor, useRows, useSorting } from './use-table.js';

interface TableViewProps {
  readonly account: string;
  readonly name: string;
  readonly filter: string;
}

const keyOf = ({ partitionKey, rowKey }: Row): Key => ({ partitionKey, rowKey });
const duplicateOf = (draft: Draft): Target => ({ kind: 'new', draft });

interface DropProps {
  readonly account: string;
  readonly name: string;
  readonly onClose: () => void;
}

function DropTable({ account, name, onClose }: DropProps) {
  const [value, setValue] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const drop = async (): Promise<void> => {
    setBusy(true);
    try {
      await deleteTable(account, name);
      notify(`Deleted table ${name}.`);
      onClose();
      go({ kind: 'home' });
      await refreshListing('table');
    } catch (error) {
      setFailure(sentenceOf(error));
      setBusy(false);
    }
  };
  return (
    <Confirm
      title={`Delete table ${name}?`}
      action="Delete the table"
      typed={{ wanted: name, value, onInput: setValue }}
      {...{ isBusy, failure, onClose }}
      onConfirm={() => void drop()}
    >
      <p>All of its entities go with it. There is no way back.</p>
    </Confirm>
  );
}

interface BarProps extends TableViewProps {
  readonly pages: RowPages;
  readonly columns: readonly Column[];
  readonly all: readonly Column[];
  readonly choice: ColumnChoice;
  readonly onChoose: (choice: ColumnChoice) => void;
  readonly onInsert: () => void;
  readonly onAgain: () => void;
}

/** The title, and what can be done with the table. */
function Bar({ account, name, filter, pages, columns, all, choice, onChoose, onInsert, onAgain }: BarProps) {
  const [dialog, setDialog] = useState<'code' | 'drop'>();
  const close = (): void => setDialog(undefined);
  const select = choice.hidden.length === 0 ? undefined : columns.map(each => each.name);
  const endpoint = currentAccount()?.endpoints.table ?? '';
  const canSign = currentAccount()?.canSign ?? false;
  useCommands(
    () => [
      { title: 'New entity', key: 'n', run: onInsert },
      { title: 'Read the table again', key: 'r', run: onAgain },
      { title: 'Query as code', key: 'q', run: () => setDialog('code') },
      {
        title: 'Filter the entities',
        key: '/',
        run: () => document.querySelector<HTMLElement>('.filter-input')?.focus(),
      },
    ],
    [account, name],
  );
  return (
    <header class="bar">
      <h1 class="ellipsis" title={name}>
        {name}
      </h1>
      <div class="row">
        <ColumnMenu columns={all} {...{ choice, onChoose }} />
        <button
          type="button"
          class="button"
          title="Query as code"
          aria-label="Query as code"
          onClick={() => setDialog('code')}
        >
          <Icon of={Code} />
          <span class="wide-only">Code</span>
        </button>
        <button type="button" class="button" title="Read again" aria-label="Read again" onClick={onAgain}>
          <Icon of={RefreshCw} />
        </button>
        <button type="button" class="button primary" onClick={onInsert}>
          <Icon of={Plus} />
          <span>New entity</span>
        </button>
        <Menu
          label="More about this table"
          button={<Icon of={Ellipsis} />}
          buttonClass="button square"
          items={[
            ...(canSign
              ? [
                  {
                    label: 'Shared access signature',
                    icon: KeyRound,
                    run: () => go({ kind: 'signature', scope: 'table', resource: name }),
                  },
                ]
              : []),
            { label: 'Delete the table', icon: Trash2, isDanger: true, run: () => setDialog('drop') },
          ]}
        />
      </div>
      {dialog === 'code' && (
        <CodeDialog
          query={{ endpoint, table: name, filter, select, columns: pages.knownColumns.value }}
          onClose={close}
        />
      )}
      {dialog === 'drop' && <DropTable {...{ account, name }} onClose={close} />}
    </header>
  );
}

export function TableView({ account, name, filter }: TableViewProps) {
  const { pages, again } = useRows(account, name, filter);
  const { choice, set } = useMemo(() => columnChoice(account, name), [account, name]);
  const { all, columns, widthOf } = useColumns(pages, choice.value);
  const { sorting, sort, count, rowAt } = useSorting(pages);
  const editor = useEditor();
  const insert = (): void => editor.show({ kind: 'new', draft: NEW_DRAFT });
  const run = (changed: string): void =>
    changed === filter ? again() : go({ kind: 'table', name, filter: changed });
  const opened = editor.target?.kind === 'stored' ? editor.target.key : undefined;
  const more = useMemo(() => () => void pages.loadMore(), [pages]);
  const showing = useMemo(() => (first: number, last: number) => pages.showing(first, last), [pages]);
  const saved = (key: Key, row: Row): void => {
    notify('Saved.');
    if (editor.target?.kind === 'stored') pages.replace(key, row);
    else {
      editor.replace({ kind: 'stored', key });
      again();
    }
  };
  const widen = (column: string, width: number): void =>
    set({ ...choice.value, widths: { ...choice.value.widths, [column]: width } });
  return (
    <div class="view-with-panel">
      <div class="view">
        <Bar
          {...{ account, name, filter, pages, columns, all }}
          choice={choice.value}
          onChoose={set}
          onInsert={insert}
          onAgain={again}
        />
        <FilterBox filter={filter} columns={pages.knownColumns.value} onRun={run} />
        {count === 0 ? (
          <Nothing pages={pages} onInsert={insert} onAgain={again} />
        ) : (
          <Grid
            label={`Entities of ${name}`}
            {...{ columns, widthOf, count, rowAt, sorting }}
            onSort={sort}
            onResize={widen}
            onOpen={row => editor.show({ kind: 'stored', key: keyOf(row) })}
            onEnd={sorting === undefined ? more : () => undefined}
            onShow={showing}
            opened={opened && keyText({ ...opened, timestamp: undefined, properties: [] })}
          />
        )}
        <Status pages={pages} sorting={sorting} />
      </div>
      {editor.target !== undefined && (
        <EntityPanel
          {...{ account }}
          table={name}
          target={editor.target}
          onSaved={saved}
          onDeleted={key => {
            notify('Deleted.');
            editor.replace(undefined);
            pages.remove(key);
          }}
          onClose={() => editor.show(undefined)}
          onDuplicate={draft => editor.show(duplicateOf(draft))}
          onChanged={editor.setChanged}
        />
      )}
      {editor.isAsking && (
        <Confirm
          title="Discard your changes?"
          action="Discard"
          isBusy={false}
          failure={undefined}
          onConfirm={editor.discard}
          onClose={editor.keep}
        >
          <p>The entity in the editor has changes that are not saved.</p>
        </Confirm>
      )}
    </div>
  );
}
