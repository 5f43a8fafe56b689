// A pin of a command that is no server: while it reads a store's rows and the contents that they name, servers remove none of these.
import { existsSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ContentPin } from '#store';
import { contentsOf, FORMAT_NAME, PROCESSES_NAME } from './content-path.js';
import { monotonicNow, ProcessEntry } from './process-entry.js';

/** To be called before any row is read. `directory` is the store's, which can be written to. */
export function pinContents(directory: string): ContentPin {
  const contents = contentsOf(directory);
  const wasThere = existsSync(contents);
  const time = monotonicNow();
  // A server that begins with contents now finds the directory, and takes it for durable.
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

/** Stays where a server has begun with contents meanwhile, or another command. */
export function removeEmpty(contents: string): void {
  try {
    rmdirSync(join(contents, PROCESSES_NAME));
    rmSync(join(contents, FORMAT_NAME), { force: true });
    rmdirSync(contents);
  } catch {
    // It is in use.
  }
}
