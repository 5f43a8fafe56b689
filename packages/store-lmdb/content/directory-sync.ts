// Makes new names in directories durable. Contents of one space that are finished together share a sync of their directory: one that begins
// after a file was made has its name.
import { fsync } from 'node:fs';
import { promisify } from 'node:util';
import { closeFile, openFile } from './system-call.js';

const syncAll = promisify(fsync);

interface Syncs {
  current: Promise<void>;
  /** Begins when the current one ends. */
  next: Promise<void> | undefined;
}

export class DirectorySync {
  readonly #directories = new Map<string, Syncs>();

  /** Fails with the system's error. */
  sync(directory: string): Promise<void> {
    const syncs = this.#directories.get(directory);
    if (syncs === undefined) {
      const begun: Syncs = { current: syncNow(directory), next: undefined };
      this.#directories.set(directory, begun);
      this.#follow(directory, begun);
      return begun.current;
    }
    syncs.next ??= settled(syncs.current).then(() => syncNow(directory));
    return syncs.next;
  }

  #follow(directory: string, syncs: Syncs): void {
    void settled(syncs.current).then(() => {
      if (syncs.next === undefined) {
        this.#directories.delete(directory);
        return;
      }
      syncs.current = syncs.next;
      syncs.next = undefined;
      this.#follow(directory, syncs);
    });
  }
}

const settled = (promise: Promise<void>): Promise<void> =>
  promise.then(
    () => undefined,
    () => undefined,
  );

async function syncNow(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  const file = await openFile(directory, 'r');
  try {
    await syncAll(file);
  } finally {
    await closeFile(file);
  }
}
