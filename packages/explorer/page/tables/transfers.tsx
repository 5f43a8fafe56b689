// The long works on a table: export, import, delete by filter. Each is done page by page, and can be stopped.
import type { Row } from '#data-tools/line';
import type { ChangeKind } from '#data-tools/write';
import { counted } from '../../model/cell.js';
import { EntityWriter, type Format, readEntityFile } from '../../model/entity-file.js';
import { CLASS_NAMES, verdictOf } from '../../model/verdict.js';
import { chooseFiles, saveAs } from '../client/file.js';
import { KEYS, queryPages, type Selected } from '../client/table-client.js';
import { changing } from '../client/transactions.js';
import { Fault } from '../shell/blank.js';
import { ask } from '../shell/dialog.js';
import type { Running } from '../state/work.js';

const countedEntities = (count: number): string => counted(count, 'entity', 'entities');

/** Reads what the filter matches, all of it or only `select`. @returns how many there are. */
async function read(
  selected: Selected,
  part: { readonly select?: string[] },
  { signal, change }: Running,
  onRows?: (rows: readonly Row[]) => void,
): Promise<number> {
  let done = 0;
  for await (const rows of queryPages(selected, part, signal)) {
    onRows?.(rows);
    done += rows.length;
    change({ done });
  }
  return done;
}

const What = ({ filter, table }: Selected) => {
  const verdict = verdictOf(filter);
  return filter === '' ? (
    <p>All entities of {table.name}.</p>
  ) : (
    <p>
      Entities that match <code class="break">{filter}</code>
      {verdict.kind === 'plan' && `: a ${CLASS_NAMES[verdict.plan.class].toLowerCase()}.`}
    </p>
  );
};

/** Has the browser save a file of what the filter matches. */
async function saveMatching(selected: Selected, format: Format, running: Running): Promise<void> {
  const writer = new EntityWriter(format);
  await read(selected, {}, running, rows => writer.add(rows));
  const type = format === 'csv' ? 'text/csv' : 'application/x-ndjson';
  const url = URL.createObjectURL(new Blob([...writer.pieces()], { type }));
  saveAs(url, `${selected.table.name}.${format}`);
  // The browser has the file by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

export function exportEntities(selected: Selected): void {
  ask({
    title: 'Export entities',
    action: 'Export',
    text: (
      <>
        <What {...selected} />
        <p class="hint">
          Both forms keep every type; Import and <code>shelfmark load</code> read them.
        </p>
      </>
    ),
    fields: [
      {
        ...{ name: 'format', label: 'Form of the file', kind: 'radios', first: 'jsonl' },
        options: [
          ['jsonl', 'JSON Lines'],
          ['csv', 'CSV with types'],
        ],
      },
    ],
    progress: () => ({ verb: 'Read' }),
    perform: ({ format }, running) => saveMatching(selected, format as Format, running),
  });
}

/** @param onChanged reads the rows of the table again. */
export async function importEntities({ table }: Selected, onChanged: () => void): Promise<void> {
  const [chosen] = await chooseFiles({ accept: '.jsonl,.ndjson,.json,.csv' });
  if (chosen === undefined) return;
  const { rows, fault } = readEntityFile(chosen.name, await chosen.text());
  const partitions = new Set(rows.map(({ partitionKey }) => partitionKey)).size;
  const isGood = fault === undefined && rows.length > 0;
  ask({
    title: `Import into ${table.name}`,
    action: isGood ? 'Import' : undefined,
    text: (
      <>
        <p>
          <code class="break">{chosen.name}</code>
          {fault === undefined && `: ${countedEntities(rows.length)} in ${counted(partitions, 'partition')}.`}
        </p>
        <Fault text={fault && `${fault} Nothing is written until the whole file can be read.`} />
      </>
    ),
    fields: !isGood
      ? []
      : [
          {
            ...{ name: 'kind', label: 'Entities that exist already', kind: 'radios', first: 'insert' },
            options: [
              ['insert', 'Leave them, and list them as failed'],
              ['merge', 'Merge into them'],
              ['replace', 'Replace them'],
            ],
          },
        ],
    progress: () => ({ verb: 'Wrote' }),
    perform: async ({ kind }, running) => {
      running.change({ total: rows.length });
      await changing(table, kind as ChangeKind, running)(rows).finally(onChanged);
    },
  });
}

const ByFilter = ({ selected, count }: { readonly selected: Selected; readonly count?: number }) => (
  <>
    <What {...selected} />
    {count !== undefined && <p role="status">Found {countedEntities(count)}.</p>}
    <p class="hint">
      They are deleted whatever their ETags are, in transactions of up to 100. Stopping keeps the others.
    </p>
  </>
);

function deleteCounted(selected: Selected, count: number, onChanged: () => void): void {
  const perform = async (running: Running): Promise<void> => {
    const remove = changing(selected.table, 'delete', running);
    running.change({ total: count });
    for await (const rows of queryPages(selected, { select: KEYS }, running.signal)) await remove(rows);
  };
  ask({
    title: 'Delete by filter',
    action: count === 0 ? undefined : `Delete ${countedEntities(count)}`,
    isDanger: true,
    text: <ByFilter {...{ selected, count }} />,
    progress: () => ({ verb: 'Deleted' }),
    perform: (_, running) => perform(running).finally(onChanged),
  });
}

/** Counts what the filter matches, then asks again. */
export function deleteMatching(selected: Selected, onChanged: () => void): void {
  ask({
    title: 'Delete by filter',
    action: 'Count first',
    text: <ByFilter selected={selected} />,
    progress: () => ({ verb: 'Found' }),
    perform: async (_, running) =>
      deleteCounted(selected, await read(selected, { select: KEYS }, running), onChanged),
  });
}
