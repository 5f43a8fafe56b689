// List Blobs, flat and by hierarchy (protocol: blobs#list). Reads only the rows of its page: it leaps over what a prefix holds, over
// snapshots that were not requested, and over uncommitted blocks and extents.
import { nextTurn } from '#base';
import type { Position, Row } from '#store';
import type { BlobContext } from '../blob-context.js';
import type { ListPosition, OperationOf } from '../operation.js';
import type { ListedBlob, Outcome } from '../outcome.js';
import { openContainer } from '../rows/container-space.js';
import { decodeHead } from '../rows/head.js';
import { BLOB_KEY, KEYS_END, kindOfKey, snapshotKey, snapshotOfKey } from '../rows/keys.js';
import { seenBlob } from './admission.js';

/** 9999-12-31T23:59:59.9999999Z: stands in markers for the blob itself, behind all its snapshots (protocol: blobs#list). */
export const BEHIND_SNAPSHOTS = 2_534_023_007_999_999_999n;

const UNBOUNDED = Number.POSITIVE_INFINITY;
/** A visitor that returns true stops the scan: it has its page, or a place to go on at. */
const BUDGET = { rows: 1, bytes: UNBOUNDED, examined: 10_000, milliseconds: UNBOUNDED };
/** Rows to pass over one by one before a leap, which costs about as much. */
const PASSED_MAX = 16;
const SCANS_A_TURN = 32;
const LAST_UNIT = 0xffff;

/** The first text after all that begin with this one; undefined if there is none. */
export function behindAll(prefix: string): string | undefined {
  for (let at = prefix.length - 1; at >= 0; at--) {
    const unit = prefix.charCodeAt(at);
    if (unit < LAST_UNIT) return prefix.slice(0, at) + String.fromCharCode(unit + 1);
  }
  return undefined;
}

/** Collects the entries of a page, and one more. */
class ListedPage {
  readonly entries: ListedBlob[] = [];
  /** Where to continue if the scan stopped for a leap; undefined after the last name. */
  leap: Position | undefined;
  isOver = false;
  readonly #asked: OperationOf<'listBlobs'>;
  readonly #now: bigint;
  #collapsed: string | undefined;
  #committed: string | undefined;
  #passed = 0;

  constructor(asked: OperationOf<'listBlobs'>, now: bigint) {
    this.#asked = asked;
    this.#now = now;
  }

  get isFull(): boolean {
    return this.entries.length > this.#asked.top;
  }

  /** True stops the scan. */
  visit(row: Row): boolean {
    const { partition: name } = row;
    const { delimiter, prefix } = this.#asked;
    if (this.#collapsed !== undefined && name.startsWith(this.#collapsed))
      return this.#pass(behindAll(this.#collapsed), '');
    const kind = kindOfKey(row.key);
    if (kind === 'snapshot' && !this.#asked.snapshots) return this.#pass(name, BLOB_KEY);
    const isShown =
      kind === 'snapshot' ||
      kind === 'blob' ||
      (kind === 'staging' && this.#asked.uncommitted && this.#committed !== name);
    if (!isShown) return this.#pass(name, KEYS_END);
    this.#passed = 0;
    const end = delimiter === '' ? -1 : name.indexOf(delimiter, prefix.length);
    if (end >= 0) {
      this.#collapsed = name.slice(0, end + delimiter.length);
      this.entries.push({ kind: 'prefix', name: this.#collapsed });
      return this.isFull;
    }
    this.entries.push(this.#entryOf(row, kind));
    return this.isFull;
  }

  #entryOf(row: Row, kind: 'snapshot' | 'blob' | 'staging'): ListedBlob {
    const { partition: name } = row;
    if (kind === 'staging') return { kind: 'uncommitted', name };
    if (kind === 'blob') this.#committed = name;
    const snapshot = kind === 'snapshot' ? snapshotOfKey(row.key) : undefined;
    return { kind: 'blob', name, blob: seenBlob(decodeHead(row.value), snapshot, this.#now) };
  }

  /** Skips a hidden row; after several of them the page continues at this place. */
  #pass(partition: string | undefined, key: string): boolean {
    this.#passed += 1;
    if (this.#passed < PASSED_MAX) return false;
    this.#passed = 0;
    this.leap = partition === undefined ? undefined : { partition, key };
    this.isOver = partition === undefined;
    return true;
  }
}

function positionOf(asked: OperationOf<'listBlobs'>): Position {
  const { prefix, from } = asked;
  if (from === undefined || from.blob < prefix) return { partition: prefix, key: '' };
  return { partition: from.blob, key: from.snapshot === undefined ? '' : snapshotKey(from.snapshot) };
}

const placeOf = (entry: ListedBlob, withSnapshots: boolean): ListPosition => ({
  blob: entry.name,
  snapshot: withSnapshots && entry.kind === 'blob' ? (entry.blob.snapshot ?? BEHIND_SNAPSHOTS) : undefined,
});

export async function listBlobs(context: BlobContext, operation: OperationOf<'listBlobs'>): Promise<Outcome> {
  const space = await openContainer(context, operation.container);
  const { prefix, top, snapshots } = operation;
  const page = new ListedPage(operation, context.clock());
  const end = behindAll(prefix);
  const until = end === undefined ? undefined : { partition: end, key: '' };
  const visit = (row: Row): boolean => page.visit(row);
  let from: Position | undefined = positionOf(operation);
  for (let scans = 1; from !== undefined && (until === undefined || isBefore(from, until)); scans++) {
    page.leap = undefined;
    const { next }: { next: Position | undefined } = await context.store.scan(
      space,
      { from, until },
      BUDGET,
      visit,
    );
    if (page.isFull || page.isOver) break;
    from = page.leap ?? next;
    if (scans % SCANS_A_TURN === 0) await nextTurn();
  }
  const entries = page.isFull ? page.entries.slice(0, top) : page.entries;
  const first = page.isFull ? page.entries[top] : undefined;
  return { kind: 'blobs', entries, next: first && placeOf(first, snapshots) };
}

const isBefore = (a: Position, b: Position): boolean =>
  a.partition < b.partition || (a.partition === b.partition && a.key < b.key);
