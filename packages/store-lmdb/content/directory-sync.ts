// Makes new names in directories durable. Contents of one space that finish together share a sync of their directory:
// any sync that begins after a file was created covers its name. The directory stays open while syncs follow one
// another, since each system call may queue behind others that wait for the disk.
import { fsync } from 'node:fs';
import { promisify } from 'node:util';
import { closeFile, openFile } from '../lmdb/system-call.js';

const syncAll = promisify(fsync);

interface Syncs {
  readonly file: Promise<number>;
  current: Promise<void>;
  /** Begins when the current one ends. */
  next: Promise<void> | undefined;
}

export class DirectorySync {
  readonly #directories = new Map<string, Syncs>();

  /** Fails with the system's error. */
  async sync(directory: string): Promise<void> {
    if (process.platform === 'win32') return;
    const syncs = this.#directories.get(directory);
    if (syncs === undefined) {
      const file = openFile(directory, 'r');
      const begun: Syncs = { file, current: file.then(syncAll), next: undefined };
      this.#directories.set(directory, begun);
      this.#follow(directory, begun);
      return begun.current;
    }
    syncs.next ??= Promise.allSettled([syncs.current])
      .then(() => syncs.file)
      .then(syncAll);
    return syncs.next;
  }

  #follow(directory: string, syncs: Syncs): void {
    void Promise.allSettled([syncs.current]).then(() => {
      if (syncs.next === undefined) {
        this.#directories.delete(directory);
        syncs.file.then(closeFile).catch(() => undefined);
        return;
      }
      syncs.current = syncs.next;
      syncs.next = undefined;
      this.#follow(directory, syncs);
    });
  }
}
