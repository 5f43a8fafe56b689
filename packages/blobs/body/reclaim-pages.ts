// Removes contents of pages once all of their pages were overwritten. Only in layers where a content's extents are near each other (keys.ts): checking
// them costs the same in a blob of any size. The sweep reclaims the contents of the other layers.
import type { Space } from '#store';
import { PAGE_EXTENT_BYTES_MAX } from '../rows/extent.js';
import { decodeHead } from '../rows/head.js';
import { BLOB_KEY, isWrittenLayer } from '../rows/keys.js';
import { extentsOfLayer } from './extents-in.js';
import type { Reclaiming } from './reclaim.js';

/** A content that an extent named which a commit replaced. */
export interface GivenUp {
  readonly content: string;
  /** Where in the blob its first byte was written. */
  readonly origin: number;
}

/** After the commit, in the background. A content that no row names now is never named again. Readers pin it. */
export function reclaimPagesLater(
  { store, content, background }: Reclaiming,
  space: Space,
  blob: string,
  layer: string,
  givenUp: readonly GivenUp[],
): void {
  if (givenUp.length === 0 || !isWrittenLayer(layer)) return;
  background.later(async () => {
    for (const [name, origin] of new Map(givenUp.map(each => [each.content, each.origin]))) {
      const until = origin + PAGE_EXTENT_BYTES_MAX;
      const near = await extentsOfLayer(store, space, blob, layer, origin, until);
      if (near.some(({ extent }) => extent.content === name)) continue;
      // Once another layer is the first one, what this one had may have been put into that under it.
      const [row] = await store.read(space, blob, [BLOB_KEY]);
      if (row === undefined || decodeHead(row.value).layers[0]?.name !== layer) return;
      await content.drop(space, name);
    }
  });
}
