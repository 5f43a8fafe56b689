// Find Blobs by Tags: in one container or in all of an account, by name (protocol: conditions#tags). It scans every blob.
import { nextTurn } from '#base';
import type { Position, Row, Space } from '#store';
import type { BlobContext } from '../blob-context.js';
import type { OperationOf } from '../operation.js';
import type { FoundBlob, Outcome } from '../outcome.js';
import { openContainer } from '../rows/container-space.js';
import { decodeHead, hasTags } from '../rows/head.js';
import { kindOfKey } from '../rows/keys.js';
import { keysOf, matchesTags } from '../values/tags.js';

const UNBOUNDED = Number.POSITIVE_INFINITY;
/** Some 5 ms, between which others have their turn. */
const EXAMINED_A_SCAN = 2000;

export async function findBlobsByTags(
  context: BlobContext,
  operation: OperationOf<'findBlobsByTags'>,
): Promise<Outcome> {
  const { container, from, top } = operation;
  const found: FoundBlob[] = [];
  if (container !== undefined) {
    await findIn(context, await openContainer(context, container), operation, from?.blob ?? '', found);
  } else {
    let name = from?.container ?? '';
    for (let isFirst = true; found.length <= top; isFirst = false) {
      const [space] = await context.store.listSpaces(context.account, 'blob', name, 1);
      if (!space) break;
      const start = isFirst && space.name === from?.container ? from.blob : '';
      await findIn(context, space, operation, start, found);
      name = `${space.name}\0`;
    }
  }
  const next = found[top];
  return {
    kind: 'found',
    blobs: found.slice(0, top),
    next: next && { container: next.container, blob: next.blob },
  };
}

async function findIn(
  { store }: BlobContext,
  space: Space,
  { where, top }: OperationOf<'findBlobsByTags'>,
  blob: string,
  found: FoundBlob[],
): Promise<void> {
  const asked = new Set(keysOf(where));
  const budget = { rows: 1, bytes: UNBOUNDED, examined: EXAMINED_A_SCAN, milliseconds: UNBOUNDED };
  const visit = (row: Row): boolean => {
    if (kindOfKey(row.key) !== 'blob' || !hasTags(row.value)) return false;
    const { tags } = decodeHead(row.value);
    if (!matchesTags(where, tags, space.name)) return false;
    found.push({
      container: space.name,
      blob: row.partition,
      tags: tags.filter(([key]) => asked.has(key)),
    });
    return found.length > top;
  };
  let from: Position | undefined = { partition: blob, key: '' };
  while (from !== undefined && found.length <= top) {
    const { next }: { next: Position | undefined } = await store.scan(space, { from }, budget, visit);
    from = next;
    await nextTurn();
  }
}
