// A plain model of blobs, as values: the result of a few operations on them, and the visible state of a store, in one
// comparable form.
import { createHash } from 'node:crypto';

export const CONTAINER = 'model';
export const NAMES = ['a', 'a/b', 'c'] as const;
const IDS = ['AAAA', 'BBBB'] as const;
/** A step of that size commits a long list. */
export const LONG_LIST_BYTES = 100_000;
export const PAGE = 512;
export const PAGES = 64;
const TIERS = ['Cool', 'Hot'] as const;

export interface Step {
  readonly kind:
    | 'put'
    | 'block'
    | 'list'
    | 'makeAppend'
    | 'append'
    | 'makePage'
    | 'pages'
    | 'clear'
    | 'snapshot'
    | 'delete'
    | 'deleteSnapshots'
    | 'metadata'
    | 'copy'
    /** From the other blob: copied while the caller waits, put, appended, and as a block. */
    | 'copyFromUrl'
    | 'putFromUrl'
    | 'appendFromUrl'
    | 'blockFromUrl'
    /** The pages of the other blob at the same place. */
    | 'pagesFromUrl'
    /** The oldest one. */
    | 'deleteSnapshot'
    /** To `size` bytes. */
    | 'resize'
    | 'tags'
    | 'tier'
    /** `fill` 0 releases it. */
    | 'lease';
  readonly blob: number;
  readonly other: number;
  readonly size: number;
  readonly fill: number;
  /** The id of a lease: of `lease` the one to acquire or release, of others the one that they show. */
  readonly lease?: string | undefined;
  /** An ETag that the blob must have, which blob-judge.ts decides. */
  readonly ifMatch?: string | undefined;
  /** The place where an append must begin. */
  readonly at?: number | undefined;
}

interface ModelBlob {
  /** Undefined if no answer has shown it. */
  readonly etag?: string | undefined;
  readonly type: 'BlockBlob' | 'AppendBlob' | 'PageBlob';
  readonly bytes: Buffer;
  readonly metadata: string;
  /** Tags, tier and the lease's id. */
  readonly marks: Readonly<Record<string, string>>;
  readonly blocks: ReadonlyMap<string, Buffer>;
  readonly snapshots: readonly Buffer[];
}

export interface Model {
  readonly blobs: ReadonlyMap<string, ModelBlob>;
  readonly staged: ReadonlyMap<string, ReadonlyMap<string, Buffer>>;
}

export const EMPTY: Model = { blobs: new Map(), staged: new Map() };

export const nameOf = (at: number): string => NAMES[at % NAMES.length] ?? '';
export const idOf = (at: number): string => IDS[at % IDS.length] ?? '';
const bodies = new WeakMap<Step, Buffer>();

/** One buffer for each step: a search for an order asks for it again and again. */
export function bytesOf(step: Step): Buffer {
  const bytes = bodies.get(step) ?? Buffer.alloc(step.size, 1 + (step.fill % 255));
  bodies.set(step, bytes);
  return bytes;
}
export const spanOf = ({ fill, size }: Step): { readonly from: number; readonly until: number } => {
  const first = fill % PAGES;
  return { from: first * PAGE, until: Math.min(PAGES, first + 1 + (size % 50)) * PAGE };
};
/** Ids in an order that the step determines. A list this long is a content of its own. */
const LONG_LIST = 40;
export const listOf = ({ fill, size }: Step): string[] =>
  Array.from({ length: size < LONG_LIST_BYTES ? 1 + (size % 2) : LONG_LIST }, (_, at) => idOf(fill + at));

/** Of clients that are alone. */
export const LEASE = '11111111-2222-4333-8444-555555555555';

function marksOf({ kind, fill, lease = LEASE }: Step): ModelBlob['marks'] {
  if (kind === 'tags') return { tags: String(fill) };
  return kind === 'tier' ? { tier: tierOf(fill) } : { lease: fill === 0 ? '' : lease };
}

const FRESH = { metadata: '', blocks: new Map<string, Buffer>() };
const leaseIn = (old: ModelBlob | undefined): ModelBlob['marks'] =>
  old?.marks.lease ? { lease: old.marks.lease } : {};

/** They need no lease. */
const FREE: ReadonlySet<Step['kind']> = new Set(['snapshot', 'deleteSnapshot']);

/** Whether the blob's lease, or the one that the step shows, refuses it. */
function isBarred({ marks }: Pick<ModelBlob, 'marks'>, { kind, fill, lease }: Step): boolean {
  const held = marks.lease === '' ? undefined : marks.lease;
  if (kind === 'lease') return held === undefined ? fill === 0 : held !== (lease ?? LEASE);
  return !FREE.has(kind) && held !== lease;
}

export const tierOf = (fill: number): string => TIERS[fill % TIERS.length] ?? '';

function without<T>(values: ReadonlyMap<string, T>, name: string): ReadonlyMap<string, T> {
  const left = new Map(values);
  left.delete(name);
  return left;
}

/** The model after the step; undefined if Azure refuses it. */
export function afterStep(model: Model, step: Step): Model | undefined {
  const name = nameOf(step.blob);
  const old = model.blobs.get(name);
  const set = (blob: ModelBlob, keepsStaged = false): Model => {
    const staged = new Map(model.staged);
    if (!keepsStaged) staged.delete(name);
    return { blobs: new Map(model.blobs).set(name, blob), staged };
  };
  const snapshots = old?.snapshots ?? [];
  const made = (type: ModelBlob['type'], bytes: Buffer): Model =>
    set({ ...FRESH, type, bytes, marks: leaseIn(old), snapshots });
  if (isBarred(old ?? { marks: {} }, step)) return undefined;
  switch (step.kind) {
    case 'put':
      return made('BlockBlob', bytesOf(step));
    case 'makeAppend':
      return made('AppendBlob', Buffer.alloc(0));
    case 'makePage':
      return made('PageBlob', Buffer.alloc(PAGES * PAGE));
    case 'putFromUrl': {
      const source = model.blobs.get(nameOf(step.other));
      return source && made('BlockBlob', source.bytes);
    }
    case 'copy':
    case 'copyFromUrl': {
      const source = model.blobs.get(nameOf(step.other));
      // While the caller waits only block blobs are copied.
      if (step.kind === 'copyFromUrl' && source?.type !== 'BlockBlob') return undefined;
      return source && set({ ...source, marks: {}, snapshots });
    }
    case 'block':
    case 'blockFromUrl':
      return afterBlock(model, step);
    case 'list':
      return afterList(model, step, set);
    case 'delete':
      if (old === undefined && !model.staged.has(name)) return undefined;
      return { blobs: without(model.blobs, name), staged: without(model.staged, name) };
    case 'append':
    case 'appendFromUrl': {
      const bytes = step.kind === 'append' ? bytesOf(step) : model.blobs.get(nameOf(step.other))?.bytes;
      // No range of an empty source can be read.
      if (!bytes?.length || old?.type !== 'AppendBlob') return undefined;
      if (step.at !== undefined && step.at !== old.bytes.length) return undefined;
      return set({ ...old, bytes: Buffer.concat([old.bytes, bytes]) }, true);
    }
    case 'pages':
    case 'clear':
    case 'pagesFromUrl': {
      const bytes = afterPages(old, step, model);
      return old && bytes && set({ ...old, bytes }, true);
    }
    default: {
      const changed = old && afterChange(old, step);
      return changed && set(changed, true);
    }
  }
}

/** For changes of a blob's head, its snapshots or its length. */
function afterChange(old: ModelBlob, step: Step): ModelBlob | undefined {
  const { kind, fill, size } = step;
  const { snapshots, bytes, marks } = old;
  switch (kind) {
    case 'deleteSnapshots':
      return { ...old, snapshots: [] };
    case 'deleteSnapshot':
      return snapshots.length === 0 ? undefined : { ...old, snapshots: snapshots.slice(1) };
    case 'snapshot':
      return { ...old, snapshots: [...snapshots, bytes] };
    case 'metadata':
      return { ...old, metadata: String(fill) };
    case 'tags':
    case 'tier':
    case 'lease':
      if (kind === 'tier' && old.type !== 'BlockBlob') return undefined;
      return { ...old, marks: { ...marks, ...marksOf(step) } };
    case 'resize':
      if (old.type !== 'PageBlob') return undefined;
      return { ...old, bytes: Buffer.concat([bytes, Buffer.alloc(size)], size) };
    default:
      throw new RangeError(`${kind} is no change of a head.`);
  }
}

function afterPages(old: ModelBlob | undefined, step: Step, { blobs }: Model): Buffer | undefined {
  const { from, until } = spanOf(step);
  if (old?.type !== 'PageBlob' || until > old.bytes.length) return undefined;
  const fill = step.kind === 'pages' ? 1 + (step.fill % 255) : 0;
  if (step.kind !== 'pagesFromUrl') return Buffer.from(old.bytes).fill(fill, from, until);
  const pages = blobs.get(nameOf(step.other))?.bytes.subarray(from, until);
  if (pages?.length !== until - from) return undefined;
  const bytes = Buffer.from(old.bytes);
  pages.copy(bytes, from);
  return bytes;
}

function afterBlock({ blobs, staged }: Model, step: Step): Model | undefined {
  const name = nameOf(step.blob);
  const bytes = step.kind === 'block' ? bytesOf(step) : blobs.get(nameOf(step.other))?.bytes;
  if (!bytes?.length || (blobs.get(name)?.type ?? 'BlockBlob') !== 'BlockBlob') return undefined;
  const blocks = new Map(staged.get(name)).set(idOf(step.fill), bytes);
  return { blobs, staged: new Map(staged).set(name, blocks) };
}

function afterList(model: Model, step: Step, set: (blob: ModelBlob) => Model): Model | undefined {
  const name = nameOf(step.blob);
  const old = model.blobs.get(name);
  if (old && old.type !== 'BlockBlob') return undefined;
  const blocks = new Map<string, Buffer>();
  const bytes: Buffer[] = [];
  for (const id of listOf(step)) {
    const block = model.staged.get(name)?.get(id) ?? old?.blocks.get(id);
    if (!block) return undefined;
    blocks.set(id, block);
    bytes.push(block);
  }
  const snapshots = old?.snapshots ?? [];
  return set({ type: 'BlockBlob', bytes: Buffer.concat(bytes), metadata: '', marks: {}, blocks, snapshots });
}

const sums = new WeakMap<Buffer, string>();

/** The length and the MD5 of bytes that do not change. */
export function sumOf(bytes: Buffer): string {
  const known = sums.get(bytes);
  if (known !== undefined) return known;
  const sum = `${bytes.length}:${createHash('md5').update(bytes).digest('hex').slice(0, 8)}`;
  sums.set(bytes, sum);
  return sum;
}

export const told = (
  { bytes, metadata, marks }: Pick<ModelBlob, 'bytes' | 'metadata' | 'marks'>,
  snapshots: readonly Buffer[],
): string =>
  [sumOf(bytes), metadata, marks.tags, marks.tier, marks.lease && 'leased', ...snapshots.map(sumOf)]
    .filter(text => text !== undefined && text !== '')
    .join(' ');

export const toldBlocks = (blocks: ReadonlyMap<string, number>): string =>
  [...blocks]
    .sort()
    .map(([id, length]) => `${id}=${length}`)
    .join(' ');

export function showModel({ blobs, staged }: Model): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const name of NAMES) {
    const blob = blobs.get(name);
    const blocks = new Map([...(staged.get(name) ?? [])].map(([id, bytes]) => [id, bytes.length]));
    shown[name] = `${blob ? told(blob, blob.snapshots) : 'none'} | ${toldBlocks(blocks)}`;
  }
  return shown;
}
