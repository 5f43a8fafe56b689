// A pin for a command that is not a server: while it reads a store's rows and the contents that they name, servers
// remove none of these.
import { existsSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ContentPin } from '#store';
import { contentsOf, FORMAT_NAME, PROCESSES_NAME } from './content-path.js';
import { monotonicNow, ProcessEntry } from './process-entry.js';

/** Call before any row is read. `directory` is the store's and is writable. */
export function pinContents(directory: string): ContentPin {
  const contents = contentsOf(directory);
  const wasThere = existsSync(contents);
  const time = monotonicNow();
  // A server that writes its first content now finds the directory, and takes it for durable.
  const entry = new ProcessEntry(contents, true);
  entry.publishPin(time);
  let isReleased = false;
  return {
    release: () => {
      if (isReleased) return;
      isReleased = true;
      entry.close();
      if (!wasThere) removeEmpty(contents);
    },
  };
}

/** It stays if a server, or another command, uses contents by now. */
export function removeEmpty(contents: string): void {
  try {
    rmdirSync(join(contents, PROCESSES_NAME));
    rmSync(join(contents, FORMAT_NAME), { force: true });
    rmdirSync(contents);
  } catch {
    // In use.
  }
}
