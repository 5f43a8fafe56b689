// What `backup` and `restore` have in common: a store becomes another directory's, copied as it is at one moment, checked,
// and in its place only when it is whole and on disk.
import { resolve } from 'node:path';
import { StoreError } from '#store';
import { type CheckReport, Placement } from '#store-lmdb';
import { runStoreTask } from './store-task.js';

/** @throws StoreError; then nothing of the copy is left. */
export async function copyStore(from: string, to: string): Promise<CheckReport> {
  const placement = new Placement(to);
  try {
    const report = await runStoreTask({ kind: 'copy', directory: from, path: placement.partialPath });
    assertWhole(from, report);
    placement.finish();
    return report;
  } catch (error) {
    placement.discard();
    throw error;
  }
}

function assertWhole(from: string, { faults, faultCount }: CheckReport): void {
  if (faultCount === 0) return;
  const first = `${faultCount} ${faultCount === 1 ? 'fault' : 'faults'}, the first: ${faults[0]}`;
  throw new StoreError('corrupt', `The store in ${resolve(from)} is damaged and was not copied: ${first}`);
}
