// Removes what no head of a blob names any more: rows of dead stagings and layers, and contents. A dead name is never reused, so
// dead rows and contents may be removed at any later time.
import type { Row, Space } from '#store';
import type { BlobContext } from '../blob-context.js';
import { commitRows, rowsName } from '../contests.js';
import { decodeExtent, PAGE_EXTENT_BYTES_MAX } from '../rows/extent.js';
import { decodeHead, type Head } from '../rows/head.js';
import { BLOB_KEY, isWrittenLayer, KEYS_END, kindOfKey, layerOfKey, startOfKey } from '../rows/keys.js';
import { decodeStagedBlock, decodeStaging } from '../rows/staged-block.js';
import { extentsOfLayer } from './extents-in.js';
import { piecesOf } from './pieces-of.js';

/** What reclaiming needs of a context. */
export type Reclaiming = Pick<BlobContext, 'store' | 'content' | 'background' | 'ids'>;

const UNBOUNDED = Number.POSITIVE_INFINITY;
/** Rows that one commit removes. */
const REMOVED_A_COMMIT = 500;

/** Dead rows of one kind, with their versions, and the contents that they name. */
class DeadRows {
  readonly rows: { readonly key: string; readonly version: bigint }[] = [];
  readonly contents = new Set<string>();
}

/** What one look at the rows of a blob finds, in the order of the keys: heads come first. */
export class BlobSurvey {
  readonly heads: Head[] = [];
  readonly deadBlocks = new DeadRows();
  readonly deadExtents = new DeadRows();
  /** Named by rows that are alive; those of manifests are not among them. */
  readonly named = new Set<string>();
  staging: { readonly version: bigint; readonly lastPut: bigint } | undefined;
  #staging: string | undefined;
  /** Until where heads name extents of a layer. */
  readonly #layers = new Map<string, number>();

  /** The row is valid during the call only. */
  add(row: Row): void {
    switch (kindOfKey(row.key)) {
      case 'snapshot':
      case 'blob':
        this.#addHead(decodeHead(row.value));
        break;
      case 'staging': {
        const { name, lastPut } = decodeStaging(row.value);
        this.#staging = name;
        this.staging = { version: row.version, lastPut };
        break;
      }
      case 'block': {
        const { staging, content } = decodeStagedBlock(row.value);
        this.#note(row, content, staging === this.#staging ? undefined : this.deadBlocks);
        break;
      }
      case 'extent': {
        const until = this.#layers.get(layerOfKey(row.key)) ?? 0;
        const { content } = decodeExtent(row.value);
        this.#note(row, content, startOfKey(row.key) < until ? undefined : this.deadExtents);
        break;
      }
    }
  }

  #addHead(head: Head): void {
    const { pieces, manifest, layers, length } = head;
    this.heads.push({ ...head, inline: undefined });
    for (const { content } of pieces) if (content !== '') this.named.add(content);
    if (manifest !== undefined) this.named.add(manifest.content);
    for (const { name, limit } of layers)
      this.#layers.set(name, Math.max(Math.min(length, limit), this.#layers.get(name) ?? 0));
  }

  #note({ key, version }: Row, content: string | undefined, dead: DeadRows | undefined): void {
    dead?.rows.push({ key, version });
    if (content !== undefined) (dead?.contents ?? this.named).add(content);
  }
}

async function survey({ store }: Reclaiming, space: Space, blob: string): Promise<BlobSurvey> {
  const found = new BlobSurvey();
  const range = { from: { partition: blob, key: '' }, until: { partition: blob, key: KEYS_END } };
  const budget = { rows: UNBOUNDED, bytes: UNBOUNDED, examined: UNBOUNDED, milliseconds: UNBOUNDED };
  const { next } = await store.scan(space, range, budget, row => {
    found.add(row);
    return true;
  });
  // Stopped early: rows beyond this point were not seen, so the contents that they name are unknown.
  if (next !== undefined) throw new Error(`The rows of '${blob}' could not be seen at once.`);
  return found;
}

/** The contents of a block blob, with its manifest. */
export async function contentsOf(
  { content }: Reclaiming,
  space: Space,
  head: Head,
): Promise<readonly string[]> {
  const pieces = await piecesOf(content, space, head);
  const names = new Set(pieces.map(piece => piece.content).filter(name => name !== ''));
  if (head.manifest !== undefined) names.add(head.manifest.content);
  return [...names];
}

/**
 * Removes the dead rows of a blob and their contents, and of `candidates` those that no row names. Dead extents wait for their
 * readers, which continue in the same rows. Readers in other processes have a pin; if one reads for long, the sweep removes the extents.
 */
export async function reclaim(
  context: Reclaiming,
  space: Space,
  blob: string,
  candidates: readonly string[],
): Promise<void> {
  const { heads, deadBlocks, deadExtents, named } = await survey(context, space, blob);
  for (const head of heads) {
    if (head.manifest === undefined) continue;
    for (const name of await contentsOf(context, space, head)) named.add(name);
  }
  const drop = async (names: Iterable<string>): Promise<void> => {
    for (const name of names) if (!named.has(name)) await context.content.drop(space, name);
  };
  await removeDead(context, space, blob, deadBlocks);
  await drop(new Set([...deadBlocks.contents, ...candidates]));
  if (deadExtents.rows.length === 0) return;
  await context.background.readersOf(rowsName(space, blob));
  if (!(await context.content.unpinnedElsewhere())) return;
  await removeDead(context, space, blob, deadExtents);
  await drop(deadExtents.contents);
}

/** Checks again: a block's row may have been rewritten in between. */
async function removeDead(
  context: Reclaiming,
  space: Space,
  blob: string,
  { rows: dead }: DeadRows,
): Promise<void> {
  for (let at = 0; at < dead.length; at += REMOVED_A_COMMIT) {
    const some = dead.slice(at, at + REMOVED_A_COMMIT);
    const keys = some.map(({ key }) => key);
    await commitRows(context, space, blob, { keys }, rows => ({
      result: true,
      deletes: keys.filter((_, index) => rows.keys[index]?.version === some[index]?.version),
    }));
  }
}

/**
 * After a commit that replaced or removed a head: in the background, removes what only it named. `mayShare`: other rows of the blob may name
 * it too, or uncommitted blocks went with it. Rows that a kill left may name contents of any head, so they are looked at in any case.
 */
export function reclaimLater(
  context: Reclaiming,
  space: Space,
  blob: string,
  replaced: Head | undefined,
  mayShare: boolean,
): void {
  const isShared = replaced !== undefined && (replaced.snapshots > 0 || replaced.layers.length > 0);
  const hasContents =
    replaced !== undefined &&
    (replaced.manifest !== undefined || replaced.pieces.some(each => each.content !== ''));
  if (!mayShare && !isShared && !hasContents) return;
  context.background.later(async () => {
    const contents = replaced && hasContents ? await contentsOf(context, space, replaced) : [];
    await reclaim(context, space, blob, contents);
  });
}

/** A content that an extent named which a commit replaced. */
export interface GivenUp {
  readonly content: string;
  /** Where in the blob its first byte was written. */
  readonly origin: number;
}

/**
 * After the commit, in the background: removes contents once all of their pages were overwritten. Only in layers where a
 * content's extents are near each other (keys.ts): checking them costs the same in a blob of any size. The sweep
 * reclaims the contents of the other layers. A content that no row names now is never named again. Readers pin it.
 */
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
