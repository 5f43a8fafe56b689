// A backup or a restore as the commands do it, in this process.
import assert from 'node:assert/strict';
import type { StoreReport } from '#store';
import { lmdbTools } from '../check/tools.js';
import { NAMING } from './named-contents.js';

/** Into or from `other`; leaves nothing of the copy if there are findings. */
export async function copyStore(
  kind: 'backup' | 'restore',
  directory: string,
  other: string,
): Promise<StoreReport> {
  const made = lmdbTools(directory)[kind]?.(other) ?? assert.fail();
  const prepared = made.prepare();
  const report = await made.make(NAMING, () => undefined);
  if (report.findingCount === 0) prepared.finish();
  else prepared.discard();
  return report;
}

export const checkStore = (directory: string): Promise<StoreReport> =>
  lmdbTools(directory).check?.(NAMING, () => undefined) ?? assert.fail();
