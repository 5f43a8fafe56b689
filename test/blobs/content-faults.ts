// Whether the contents that are there are those that the rows of a container name, directly or in lists of blocks.
import { randomUUID } from 'node:crypto';
import { systemClock } from '#base';
import { BackgroundWork, BlobSweep, contentsNamedBy } from '#blobs';
import type { Space, Store, StoreWithContent } from '#store';
import { WELL_KNOWN } from '../support/worker-processes.js';

export const UNBOUNDED = { rows: 1e9, bytes: 1e12, examined: 1e9, milliseconds: 1e9 };
export const EVERYTHING = { from: { partition: '', key: '' } };

export interface NamedContents {
  readonly named: ReadonlySet<string>;
  readonly faults: readonly string[];
}

/** `read` returns at least the bytes that were written to a content that is there. */
export async function namedContents(
  store: Pick<Store, 'scan'>,
  space: Space,
  there: ReadonlySet<string>,
  read: (id: string) => Buffer,
): Promise<NamedContents> {
  const named = new Set<string>();
  const faults: string[] = [];
  await store.scan(space, EVERYTHING, UNBOUNDED, row => {
    for (const { id, bytes, names } of contentsNamedBy(space, row)) {
      named.add(id);
      if (!there.has(id)) continue;
      const content = read(id).subarray(0, bytes);
      if (content.length < bytes) faults.push(`${space.name}: the content ${id} is not whole.`);
      else for (const one of names?.(content) ?? []) named.add(one.id);
    }
    return true;
  });
  for (const id of there)
    if (!named.has(id)) faults.push(`${space.name}: after a sweep no row names the content ${id}.`);
  for (const id of named) if (!there.has(id)) faults.push(`${space.name}: the content ${id} is missing.`);
  return { named, faults };
}

/** A whole pass. */
export async function sweepBlobs(
  store: StoreWithContent,
  background = new BackgroundWork(),
  { clock = systemClock, ids = randomUUID as () => string, account = WELL_KNOWN.name } = {},
): Promise<void> {
  const { content } = store;
  const sweep = new BlobSweep({ store, content, clock, ids, background, accounts: () => [account] });
  while (!(await sweep.step()).isPassOver);
}
