// The dialogs of long work: export, import, delete by filter.
import { useState } from 'preact/hooks';
import type { ChangeKind } from '#data-tools/write';
import { counted } from '../../model/cell.js';
import { type EntityFile, type Format, readEntityFile } from '../../model/entity-file.js';
import { CLASS_NAMES, verdictOf } from '../../model/verdict.js';
import { Dialog } from '../shell/dialog.js';
import {
  countMatching,
  deleteMatching,
  readFile,
  type Selected,
  saveFile,
  useWork,
  writeRows,
} from './use-transfer.js';
import { WorkView } from './work-view.js';

interface TransferProps {
  readonly selected: Selected;
  readonly onClose: () => void;
  /** The rows of the table have changed. */
  readonly onChanged: () => void;
}

const What = ({ selected: { filter, target } }: Pick<TransferProps, 'selected'>) => {
  const verdict = verdictOf(filter);
  return filter === '' ? (
    <p>All entities of {target.table}.</p>
  ) : (
    <p>
      Entities that match <code class="break">{filter}</code>
      {verdict.kind === 'plan' && `: a ${CLASS_NAMES[verdict.plan.class].toLowerCase()}.`}
    </p>
  );
};

export function ExportDialog({ selected, onClose }: Omit<TransferProps, 'onChanged'>) {
  const [format, setFormat] = useState<Format>('jsonl');
  const { work, run, halt } = useWork();
  const isRunning = work.state === 'running';
  const start = (): void =>
    void run(undefined, async running =>
      saveFile(await readFile(selected, format, running), `${selected.target.table}.${format}`),
    );
  const footer = (
    <>
      <button type="button" class="button" onClick={onClose}>
        {work.state === 'done' ? 'Close' : 'Cancel'}
      </button>
      <button type="submit" class="button primary" disabled={isRunning}>
        Export
      </button>
    </>
  );
  return (
    <Dialog title="Export entities" onClose={onClose} footer={footer} onSubmit={start}>
      <What selected={selected} />
      <fieldset class="letters">
        <legend>Form of the file</legend>
        <label class="check">
          <input
            type="radio"
            name="format"
            checked={format === 'jsonl'}
            onChange={() => setFormat('jsonl')}
          />
          JSON Lines
        </label>
        <label class="check">
          <input type="radio" name="format" checked={format === 'csv'} onChange={() => setFormat('csv')} />
          CSV with types
        </label>
      </fieldset>
      <p class="hint">Both keep every type, and both are read by Import and by `shelfmark load`.</p>
      <WorkView work={work} verb="Read" onHalt={halt} />
    </Dialog>
  );
}

const WRITES: readonly (readonly [kind: ChangeKind, label: string])[] = [
  ['insert', 'Leave them, and list them as failed'],
  ['merge', 'Merge into them'],
  ['replace', 'Replace them'],
];

/** The file that was chosen, and what is in it. */
function useChosen() {
  const [chosen, setChosen] = useState<EntityFile & { readonly name: string }>();
  const choose = async (file: File | undefined): Promise<void> => {
    if (file !== undefined) setChosen({ name: file.name, ...readEntityFile(file.name, await file.text()) });
  };
  return { chosen, choose };
}

const Chosen = ({ file: { rows, fault } }: { readonly file: EntityFile }) => {
  const partitions = new Set(rows.map(({ partitionKey }) => partitionKey)).size;
  return fault === undefined ? (
    <p role="status">
      {counted(rows.length, 'entity', 'entities')} in {counted(partitions, 'partition')}.
    </p>
  ) : (
    <p class="fault" role="alert">
      {fault} Nothing is written until the whole file can be read.
    </p>
  );
};

export function ImportDialog({ selected: { target }, onClose, onChanged }: TransferProps) {
  const { chosen, choose } = useChosen();
  const [kind, setKind] = useState<ChangeKind>('insert');
  const { work, run, halt } = useWork();
  const rows = chosen?.rows ?? [];
  const isReady = rows.length > 0 && chosen?.fault === undefined && work.state !== 'running';
  const start = async (): Promise<void> => {
    if (!isReady) return;
    await run(rows.length, running => writeRows(target, kind, rows, running));
    onChanged();
  };
  const footer = (
    <>
      <button type="button" class="button" onClick={onClose}>
        {work.state === 'done' ? 'Close' : 'Cancel'}
      </button>
      <button type="submit" class="button primary" disabled={!isReady}>
        Import
      </button>
    </>
  );
  return (
    <Dialog
      title={`Import into ${target.table}`}
      onClose={onClose}
      footer={footer}
      onSubmit={() => void start()}
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
      <fieldset class="letters">
        <legend>Entities that exist already</legend>
        {WRITES.map(([each, label]) => (
          <label key={each} class="check">
            <input type="radio" name="kind" checked={kind === each} onChange={() => setKind(each)} />
            {label}
          </label>
        ))}
      </fieldset>
      <WorkView work={work} verb="Wrote" onHalt={halt} />
    </Dialog>
  );
}

export function PurgeDialog({ selected, onClose, onChanged }: TransferProps) {
  const counting = useWork();
  const deleting = useWork();
  const count = counting.work.state === 'done' ? counting.work.done : undefined;
  const isBusy = counting.work.state === 'running' || deleting.work.state === 'running';
  const start = async (): Promise<void> => {
    if (isBusy) return;
    if (count === undefined) {
      await counting.run(undefined, running => countMatching(selected, running));
      return;
    }
    await deleting.run(count, running => deleteMatching(selected, running));
    onChanged();
  };
  const isOver = deleting.work.state === 'done' || count === 0;
  const footer = (
    <>
      <button type="button" class="button" onClick={onClose}>
        {isOver ? 'Close' : 'Cancel'}
      </button>
      {!isOver && (
        <button
          type="submit"
          class={count === undefined ? 'button primary' : 'button danger'}
          disabled={isBusy}
        >
          {count === undefined ? 'Count first' : `Delete ${counted(count, 'entity', 'entities')}`}
        </button>
      )}
    </>
  );
  return (
    <Dialog title="Delete by filter" onClose={onClose} footer={footer} onSubmit={() => void start()}>
      <What selected={selected} />
      <p class="hint">
        They are deleted whatever their ETags are, in transactions of up to 100. Stopping keeps the rest.
      </p>
      <WorkView work={counting.work} verb="Found" onHalt={counting.halt} />
      <WorkView work={deleting.work} verb="Deleted" onHalt={deleting.halt} />
    </Dialog>
  );
}
