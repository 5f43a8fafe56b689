// Long work of a table in steps that can be stopped: export, import, delete by filter. A dialog shows its state.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Row } from '#data-tools/line';
import type { ChangeKind } from '#data-tools/write';
import { EntityWriter, type Format } from '../../model/entity-file.js';
import { isAborted, sentenceOf } from '../client/ask.js';
import { queryPage } from '../client/table-client.js';
import { applyChanges, type Failed, type Target, type Totals } from '../client/transactions.js';

export interface Work {
  readonly state: 'ready' | 'running' | 'done' | 'stopped' | 'failed';
  readonly done: number;
  /** Undefined while it is unknown. */
  readonly total: number | undefined;
  readonly failed: readonly Failed[];
  readonly sentence: string;
}

export interface Selected {
  readonly target: Target;
  readonly filter: string;
}

const START: Work = { state: 'ready', done: 0, total: undefined, failed: [], sentence: '' };
const PAGE_ROWS = 1000;
const KEYS = ['PartitionKey', 'RowKey'];

/** The pages of a query, one after the other. */
export async function* pagesOf(
  { target, filter }: Selected,
  select: string[] | undefined,
  signal: AbortSignal,
): AsyncGenerator<readonly Row[], void> {
  let token: string | undefined;
  do {
    const query = {
      table: target.table,
      filter,
      top: PAGE_ROWS,
      token,
      ...(select !== undefined && { select }),
    };
    const { rows, next } = await queryPage(target.account, query, signal);
    yield rows;
    token = next;
  } while (token !== undefined);
}

export interface Running {
  readonly signal: AbortSignal;
  readonly change: (part: Partial<Work>) => void;
}

export function useWork() {
  const [work, setWork] = useState<Work>(START);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const change = (part: Partial<Work>): void => setWork(before => ({ ...before, ...part }));
  /** Whether it came to its end. */
  const run = async (
    total: number | undefined,
    perform: (running: Running) => Promise<void>,
  ): Promise<boolean> => {
    stop.current = new AbortController();
    setWork({ ...START, state: 'running', total });
    try {
      await perform({ signal: stop.current.signal, change });
      change({ state: 'done' });
      return true;
    } catch (error) {
      if (isAborted(error)) change({ state: 'stopped' });
      else change({ state: 'failed', sentence: sentenceOf(error) });
      return false;
    }
  };
  return { work, run, halt: () => stop.current.abort(), reset: () => setWork(START) };
}

/** Counts what the filter matches, reading keys only. */
export async function countMatching(selected: Selected, { signal, change }: Running): Promise<void> {
  let done = 0;
  for await (const rows of pagesOf(selected, KEYS, signal)) {
    done += rows.length;
    change({ done });
  }
}

/** Deletes what the filter matches, page by page. */
export async function deleteMatching(selected: Selected, { signal, change }: Running): Promise<void> {
  const totals: Totals = { done: 0, failed: [] };
  const onProgress = (): void => change({ done: totals.done, failed: [...totals.failed] });
  for await (const rows of pagesOf(selected, KEYS, signal))
    await applyChanges(selected.target, 'delete', rows, { totals, signal, onProgress });
}

/** Writes all rows of a file. */
export async function writeRows(
  target: Target,
  kind: ChangeKind,
  rows: readonly Row[],
  { signal, change }: Running,
): Promise<void> {
  const totals: Totals = { done: 0, failed: [] };
  const onProgress = (): void => change({ done: totals.done, failed: [...totals.failed] });
  await applyChanges(target, kind, rows, { totals, signal, onProgress });
}

/** Reads what the filter matches into a file. */
export async function readFile(
  selected: Selected,
  format: Format,
  { signal, change }: Running,
): Promise<Blob> {
  const writer = new EntityWriter(format);
  let done = 0;
  for await (const rows of pagesOf(selected, undefined, signal)) {
    writer.add(rows);
    done += rows.length;
    change({ done });
  }
  return new Blob([...writer.pieces()], { type: format === 'csv' ? 'text/csv' : 'application/x-ndjson' });
}

export function saveFile(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser has the file by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
