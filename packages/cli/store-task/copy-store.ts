// The common part of `backup` and `restore`: an engine's copy of a whole store, prepared here, made and checked in a
// process of its own, and installed atomically once it is whole and on disk.
import { StoreError, type StoreReport } from '#store';
import { type CopyTask, copyOf, runStoreTask, sourceOf } from './store-task.js';

/** @throws StoreError; the copy is then removed. */
export async function copyStore(task: CopyTask): Promise<StoreReport> {
  const prepared = copyOf(task).prepare();
  try {
    const report = await runStoreTask(task);
    assertWhole(task, report);
    prepared.finish();
    return report;
  } catch (error) {
    prepared.discard();
    throw error;
  }
}

function assertWhole(task: CopyTask, { findings, findingCount }: StoreReport): void {
  if (findingCount === 0) return;
  const first = `${findingCount} ${findingCount === 1 ? 'fault' : 'faults'}, the first: ${findings[0]}`;
  throw new StoreError('corrupt', `The store in ${sourceOf(task)} is damaged and was not copied: ${first}`);
}
