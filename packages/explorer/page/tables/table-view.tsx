// One table: its filter box, its rows, and the editor of an entity.
import { useMemo } from 'preact/hooks';
import type { Key, Row } from '#data-tools/line';
import { type Draft, NEW_DRAFT } from '../../model/draft.js';
import { Confirm } from '../shell/dialog.js';
import { notify } from '../state/notice.js';
import { go } from '../state/route.js';
import { columnChoice } from './column-menu.js';
import { EntityPanel } from './entity-panel.js';
import { FilterBox } from './filter-box.js';
import { Grid } from './grid.js';
import { TableBar } from './table-bar.js';
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
        <TableBar
          {...{ pages, columns, all }}
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
