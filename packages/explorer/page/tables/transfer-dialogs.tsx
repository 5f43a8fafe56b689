// The dialogs of long work: export, import, delete by filter. Each is done page by page, and can be stopped.
import { useState } from 'preact/hooks';
import type { Row } from '#data-tools/line';
import type { ChangeKind } from '#data-tools/write';
import { counted } from '../../model/cell.js';
import { type EntityFile, EntityWriter, type Format, readEntityFile } from '../../model/entity-file.js';
import { CLASS_NAMES, verdictOf } from '../../model/verdict.js';
import { saveAs } from '../client/save.js';
import { KEYS, queryPages, type Selected } from '../client/table-client.js';
import { changing } from '../client/transactions.js';
import { Fault } from '../shell/blank.js';
import { Button } from '../shell/button.js';
import { Dialog, type DialogProps } from '../shell/dialog.js';
import { type Options, Radios } from '../shell/field.js';
import { WorkView } from '../shell/work-view.js';
import { type Running, useWork } from '../state/work.js';

/** Reads what the filter matches, all of it or only `select`. */
async function read(
  selected: Selected,
  part: { readonly select?: string[] },
  { signal, change }: Running,
  onRows: (rows: readonly Row[]) => void,
): Promise<void> {
  let done = 0;
  for await (const rows of queryPages(selected, part, signal)) {
    onRows(rows);
    done += rows.length;
    change({ done });
  }
}

const countMatching = (selected: Selected, running: Running): Promise<void> =>
  read(selected, { select: KEYS }, running, () => undefined);

async function deleteMatching(selected: Selected, running: Running): Promise<void> {
  const remove = changing(selected.table, 'delete', running);
  for await (const rows of queryPages(selected, { select: KEYS }, running.signal)) await remove(rows);
}

/** Has the browser save a file of what the filter matches. */
async function exportMatching(selected: Selected, format: Format, running: Running): Promise<void> {
  const writer = new EntityWriter(format);
  await read(selected, {}, running, rows => writer.add(rows));
  const type = format === 'csv' ? 'text/csv' : 'application/x-ndjson';
  const url = URL.createObjectURL(new Blob([...writer.pieces()], { type }));
  saveAs(url, `${selected.table.name}.${format}`);
  // The browser has the file by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

interface TransferProps {
  readonly selected: Selected;
  readonly onClose: () => void;
  /** The rows of the table have changed. */
  readonly onChanged: () => void;
}

const What = ({ selected: { filter, table } }: Pick<TransferProps, 'selected'>) => {
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

interface WorkDialogProps extends DialogProps {
  /** What the button does; undefined if nothing is left to do. */
  readonly action: string | undefined;
  readonly isDanger?: boolean;
  readonly isReady: boolean;
  readonly isDone: boolean;
  readonly onStart: () => Promise<void>;
}

/** Stays open during the work and after it. */
function WorkDialog({ action, isDanger = false, isReady, isDone, onStart, ...dialog }: WorkDialogProps) {
  const footer = (
    <>
      <Button onClick={dialog.onClose}>{isDone ? 'Close' : 'Cancel'}</Button>
      {action !== undefined && (
        <Button kind={isDanger ? 'danger' : 'primary'} disabled={!isReady}>
          {action}
        </Button>
      )}
    </>
  );
  return <Dialog {...dialog} footer={footer} onSubmit={() => isReady && void onStart()} />;
}

const FORMATS: Options<Format> = [
  ['jsonl', 'JSON Lines'],
  ['csv', 'CSV with types'],
];

export function ExportDialog({ selected, onClose }: Omit<TransferProps, 'onChanged'>) {
  const [format, setFormat] = useState<Format>('jsonl');
  const { work, run, halt } = useWork();
  return (
    <WorkDialog
      title="Export entities"
      action="Export"
      isReady={work.state !== 'running'}
      isDone={work.state === 'done'}
      onStart={() => run(undefined, running => exportMatching(selected, format, running))}
      onClose={onClose}
    >
      <What selected={selected} />
      <Radios legend="Form of the file" options={FORMATS} value={format} onChoose={setFormat} />
      <p class="hint">Both keep every type, and both are read by Import and by `shelfmark load`.</p>
      <WorkView work={work} verb="Read" onHalt={halt} />
    </WorkDialog>
  );
}

const WRITES: Options<ChangeKind> = [
  ['insert', 'Leave them, and list them as failed'],
  ['merge', 'Merge into them'],
  ['replace', 'Replace them'],
];

const Chosen = ({ file: { rows, fault } }: { readonly file: EntityFile }) => {
  const partitions = new Set(rows.map(({ partitionKey }) => partitionKey)).size;
  return fault === undefined ? (
    <p role="status">
      {counted(rows.length, 'entity', 'entities')} in {counted(partitions, 'partition')}.
    </p>
  ) : (
    <Fault text={`${fault} Nothing is written until the whole file can be read.`} />
  );
};

export function ImportDialog({ selected: { table }, onClose, onChanged }: TransferProps) {
  const [chosen, setChosen] = useState<EntityFile>();
  const [kind, setKind] = useState<ChangeKind>('insert');
  const { work, run, halt } = useWork();
  const rows = chosen?.rows ?? [];
  const choose = async (file: File | undefined): Promise<void> => {
    if (file !== undefined) setChosen(readEntityFile(file.name, await file.text()));
  };
  const start = async (): Promise<void> => {
    await run(rows.length, running => changing(table, kind, running)(rows));
    onChanged();
  };
  return (
    <WorkDialog
      title={`Import into ${table.name}`}
      action="Import"
      isReady={rows.length > 0 && chosen?.fault === undefined && work.state !== 'running'}
      isDone={work.state === 'done'}
      onStart={start}
      onClose={onClose}
    >
      <label class="field">
        <span>File of JSON Lines, a JSON array, or CSV with types</span>
        <input
          class="input file"
          type="file"
          accept=".jsonl,.ndjson,.json,.csv"
          data-autofocus
          onChange={event => void choose(event.currentTarget.files?.[0])}
        />
      </label>
      {chosen !== undefined && <Chosen file={chosen} />}
      <Radios legend="Entities that exist already" options={WRITES} value={kind} onChoose={setKind} />
      <WorkView work={work} verb="Wrote" onHalt={halt} />
    </WorkDialog>
  );
}

export function PurgeDialog({ selected, onClose, onChanged }: TransferProps) {
  const counting = useWork();
  const deleting = useWork();
  const count = counting.work.state === 'done' ? counting.work.done : undefined;
  const isOver = deleting.work.state === 'done' || count === 0;
  const start = async (): Promise<void> => {
    if (count === undefined) return counting.run(undefined, running => countMatching(selected, running));
    await deleting.run(count, running => deleteMatching(selected, running));
    onChanged();
  };
  const deletion = count === undefined ? 'Count first' : `Delete ${counted(count, 'entity', 'entities')}`;
  return (
    <WorkDialog
      title="Delete by filter"
      action={isOver ? undefined : deletion}
      isDanger={count !== undefined}
      isReady={counting.work.state !== 'running' && deleting.work.state !== 'running' && !isOver}
      isDone={isOver}
      onStart={start}
      onClose={onClose}
    >
      <What selected={selected} />
      <p class="hint">
        They are deleted whatever their ETags are, in transactions of up to 100. Stopping keeps the rest.
      </p>
      <WorkView work={counting.work} verb="Found" onHalt={counting.halt} />
      <WorkView work={deleting.work} verb="Deleted" onHalt={deleting.halt} />
    </WorkDialog>
  );
}
