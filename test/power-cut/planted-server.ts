// Faults that are planted in a server's process, by Node's option --import before it starts: each shows only in a power
// cut. PLANTED_FAULT names one.
import { contentsNamedBy } from '#blobs';
import type { Space } from '#store';
import { CommitOrder } from '../../packages/store-lmdb/commit/commit-order.js';
import { DirectorySync } from '../../packages/store-lmdb/content/directory-sync.js';
import { FileContents } from '../../packages/store-lmdb/content/file-contents.js';
import { FileWriter } from '../../packages/store-lmdb/content/file-writer.js';

/**
 * Contents are finished after rows name them, are removed before the commit that drops their last name, and no
 * directory is synced.
 */
export type ServerFault = 'names first' | 'drops first' | 'no names';

export const plantingEnvironment = (fault: ServerFault): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `--import ${import.meta.url}`,
  PLANTED_FAULT: fault,
});

function nameFirst(): void {
  const { finish, release } = FileWriter.prototype;
  FileWriter.prototype.finish = async () => Buffer.alloc(8);
  FileWriter.prototype.release = function () {
    void finish.call(this).then(() => release.call(this));
  };
}

/** A blob's content is dropped when its next version is decided, so no later than the row reaches the disk. */
function dropFirst(): void {
  const { create } = FileContents.prototype;
  const { commit } = CommitOrder.prototype;
  let contents: FileContents | undefined;
  FileContents.prototype.create = function (space: Space) {
    contents = this;
    return create.call(this, space);
  };
  CommitOrder.prototype.commit = function (work) {
    const { space, decide } = work;
    const changed: typeof work = {
      ...work,
      decide: (rows, tick) => {
        const decision = decide(rows, tick);
        for (const row of rows.keys) {
          if (row?.key !== 'B' || !decision.puts?.some(({ key }) => key === 'B')) continue;
          for (const { id } of contentsNamedBy(space, row)) void contents?.drop(space, id);
        }
        return decision;
      },
    };
    return Reflect.apply(commit, this, [changed]);
  };
}

function syncNoNames(): void {
  DirectorySync.prototype.sync = async () => undefined;
}

const FAULTS: Readonly<Record<ServerFault, () => void>> = {
  'names first': nameFirst,
  'drops first': dropFirst,
  'no names': syncNoNames,
};

for (const [fault, plant] of Object.entries(FAULTS)) if (process.env.PLANTED_FAULT === fault) plant();
