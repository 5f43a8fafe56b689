// A plain model of blobs, as values: what a few operations make of them, and what is seen of a store, in one form that can be compared.
import { createHash } from 'node:crypto';
import {
  type BlobContext,
  BlobError,
  execute,
  NO_CONDITIONS,
  NO_PROPERTIES,
  type Operation,
  type Upload,
} from '#blobs';

export const CONTAINER = 'model';
export const NAMES = ['a', 'a/b', 'c'] as const;
const IDS = ['AAAA', 'BBBB'] as const;
const LEASE = '11111111-2222-4333-8444-555555555555';
/** A step of that size commits a long list. */
export const LONG_LIST_BYTES = 100_000;
const PAGE = 512;
const PAGES = 64;
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
    /** To `size` bytes. */
    | 'resize'
    | 'tags'
    | 'tier'
    /** `fill` 0 releases it. No other step writes to a blob that has a lease. */
    | 'lease';
  readonly blob: number;
  readonly other: number;
  readonly size: number;
  readonly fill: number;
}

interface ModelBlob {
  readonly type: 'BlockBlob' | 'AppendBlob' | 'PageBlob';
  readonly bytes: Buffer;
  readonly metadata: string;
  /** Tags, tier and lease. */
  readonly marks: Readonly<Record<string, string>>;
  readonly blocks: ReadonlyMap<string, Buffer>;
  readonly snapshots: readonly Buffer[];
}

export interface Model {
  readonly blobs: ReadonlyMap<string, ModelBlob>;
  readonly staged: ReadonlyMap<string, ReadonlyMap<string, Buffer>>;
}

export const EMPTY: Model = { blobs: new Map(), staged: new Map() };

const nameOf = (at: number): string => NAMES[at % NAMES.length] ?? '';
const idOf = (at: number): string => IDS[at % IDS.length] ?? '';
const bytesOf = ({ size, fill }: Step): Buffer => Buffer.alloc(size, 1 + (fill % 255));
const spanOf = ({ fill, size }: Step): { readonly from: number; readonly until: number } => {
  const first = fill % PAGES;
  return { from: first * PAGE, until: Math.min(PAGES, first + 1 + (size % 50)) * PAGE };
};
/** Ids in an order that the step tells. A list that long stands in a content of its own. */
const LONG_LIST = 40;
const listOf = ({ fill, size }: Step): string[] =>
  Array.from({ length: size < LONG_LIST_BYTES ? 1 + (size % 2) : LONG_LIST }, (_, at) => idOf(fill + at));

function marksOf({ kind, fill }: Step): ModelBlob['marks'] {
  if (kind === 'tags') return { tags: String(fill) };
  return kind === 'tier' ? { tier: tierOf(fill) } : { lease: fill === 0 ? '' : 'leased' };
}

const tierOf = (fill: number): string => TIERS[fill % TIERS.length] ?? '';

function without<T>(values: ReadonlyMap<string, T>, name: string): ReadonlyMap<string, T> {
  const left = new Map(values);
  left.delete(name);
  return left;
}

/** The model after the step; undefined where Azure refuses it. */
export function afterStep(model: Model, step: Step): Model | undefined {
  const name = nameOf(step.blob);
  const old = model.blobs.get(name);
  const set = (blob: ModelBlob, keepsStaged = false): Model => {
    const staged = new Map(model.staged);
    if (!keepsStaged) staged.delete(name);
    return { blobs: new Map(model.blobs).set(name, blob), staged };
  };
  const made = (type: ModelBlob['type'], bytes: Buffer): Model =>
    set({ type, bytes, metadata: '', marks: {}, blocks: new Map(), snapshots: old?.snapshots ?? [] });
  switch (step.kind) {
    case 'put':
      return made('BlockBlob', bytesOf(step));
    case 'makeAppend':
      return made('AppendBlob', Buffer.alloc(0));
    case 'makePage':
      return made('PageBlob', Buffer.alloc(PAGES * PAGE));
    case 'copy': {
      const source = model.blobs.get(nameOf(step.other));
      return source && set({ ...source, marks: {}, snapshots: old?.snapshots ?? [] });
    }
    case 'block': {
      if (old && old.type !== 'BlockBlob') return undefined;
      const blocks = new Map(model.staged.get(name)).set(idOf(step.fill), bytesOf(step));
      return { blobs: model.blobs, staged: new Map(model.staged).set(name, blocks) };
    }
    case 'list':
      return afterList(model, step, set);
    case 'delete':
      if (old === undefined && !model.staged.has(name)) return undefined;
      return { blobs: without(model.blobs, name), staged: without(model.staged, name) };
    case 'deleteSnapshots':
      return old && set({ ...old, snapshots: [] }, true);
    case 'snapshot':
      return old && set({ ...old, snapshots: [...old.snapshots, old.bytes] }, true);
    case 'metadata':
      return old && set({ ...old, metadata: String(step.fill) }, true);
    case 'tags':
    case 'tier':
    case 'lease':
      return old && set({ ...old, marks: { ...old.marks, ...marksOf(step) } }, true);
    case 'resize':
      if (old?.type !== 'PageBlob') return undefined;
      return set({ ...old, bytes: Buffer.concat([old.bytes, Buffer.alloc(step.size)], step.size) }, true);
    case 'append':
      if (old?.type !== 'AppendBlob') return undefined;
      return set({ ...old, bytes: Buffer.concat([old.bytes, bytesOf(step)]) }, true);
    case 'pages':
    case 'clear': {
      const bytes = afterPages(old, step);
      return old && bytes && set({ ...old, bytes }, true);
    }
  }
}

function afterPages(old: ModelBlob | undefined, step: Step): Buffer | undefined {
  const { from, until } = spanOf(step);
  if (old?.type !== 'PageBlob' || until > old.bytes.length) return undefined;
  return Buffer.from(old.bytes).fill(step.kind === 'pages' ? 1 + (step.fill % 255) : 0, from, until);
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

const WHOLE = {
  properties: NO_PROPERTIES,
  metadata: [],
  tags: [],
  tier: undefined,
  conditions: NO_CONDITIONS,
} as const;
const PAGING = {
  ...NO_CONDITIONS,
  sequenceNumberAtMost: undefined,
  sequenceNumberBelow: undefined,
  sequenceNumberEqual: undefined,
} as const;

function uploadOf(bytes: Buffer): Upload {
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += 7000) yield bytes.subarray(at, at + 7000);
  }
  return { length: bytes.length, pieces: pieces(), md5: undefined, crc64: undefined, wantsMd5: false };
}

const UNGUARDED = { snapshot: undefined, conditions: NO_CONDITIONS, tierConditions: NO_CONDITIONS } as const;

export function operationOf(step: Step): Operation {
  const on = { container: CONTAINER, blob: nameOf(step.blob) } as const;
  const conditions = NO_CONDITIONS;
  const upload = () => uploadOf(bytesOf(step));
  switch (step.kind) {
    case 'put':
      return { kind: 'putBlockBlob', ...on, ...WHOLE, upload: upload() };
    case 'makeAppend':
      return { kind: 'putAppendBlob', ...on, ...WHOLE };
    case 'makePage':
      return { kind: 'putPageBlob', ...on, ...WHOLE, length: PAGES * PAGE, sequenceNumber: 0n };
    case 'block':
      return { kind: 'putBlock', ...on, id: idOf(step.fill), leaseId: undefined, upload: upload() };
    case 'list':
      return {
        kind: 'putBlockList',
        ...on,
        ...WHOLE,
        blocks: listOf(step).map(id => ({ from: 'latest', id })),
      };
    case 'append':
      return {
        kind: 'appendBlock',
        ...on,
        conditions: { ...conditions, appendPosition: undefined, maxSize: undefined },
        upload: upload(),
      };
    case 'pages': {
      const span = spanOf(step);
      const body = Buffer.alloc(span.until - span.from, 1 + (step.fill % 255));
      return { kind: 'putPages', ...on, span, conditions: PAGING, upload: uploadOf(body) };
    }
    case 'clear':
      return { kind: 'clearPages', ...on, span: spanOf(step), conditions: PAGING };
    case 'snapshot':
      return { kind: 'snapshotBlob', ...on, metadata: undefined, conditions };
    case 'delete':
      return { kind: 'deleteBlob', ...on, ...UNGUARDED, snapshots: 'include' };
    case 'deleteSnapshots':
      return { kind: 'deleteBlob', ...on, ...UNGUARDED, snapshots: 'only' };
    case 'metadata':
      return {
        kind: 'setBlobMetadata',
        ...on,
        metadata: [{ name: 'm', value: String(step.fill) }],
        conditions,
      };
    case 'copy':
      return copyOf(on, nameOf(step.other));
    default:
      return settingOf(step, on);
  }
}

type On = { readonly container: string; readonly blob: string };

/** What changes the head of a blob, or its length. */
function settingOf({ kind, fill, size }: Step, on: On): Operation {
  const unconditional = { leaseId: undefined, ifTags: undefined };
  if (kind === 'tags')
    return { kind: 'setTags', ...on, tags: [['t', String(fill)]], conditions: NO_CONDITIONS };
  if (kind === 'tier')
    return { kind: 'setTier', ...on, snapshot: undefined, tier: tierOf(fill), ...unconditional };
  const conditions = NO_CONDITIONS;
  if (kind === 'lease') {
    const acquire = { kind: 'acquire', seconds: 'infinite', proposedId: LEASE } as const;
    const action = fill === 0 ? ({ kind: 'release', id: LEASE } as const) : acquire;
    return { kind: 'leaseBlob', ...on, action, conditions };
  }
  const rest = { properties: undefined, sequenceNumber: undefined, conditions };
  return { kind: 'setBlobProperties', ...on, length: size, ...rest };
}

const copyOf = (on: On, from: string): Operation => ({
  kind: 'copyBlob',
  ...on,
  source: {
    account: 'account1',
    container: CONTAINER,
    blob: from,
    snapshot: undefined,
    url: 'http://here/',
    conditions: NO_CONDITIONS,
  },
  metadata: undefined,
  tags: [],
  tagsOfSource: false,
  tier: undefined,
  seal: undefined,
  isSynchronous: false,
  md5: undefined,
  conditions: NO_CONDITIONS,
});

const sum = (bytes: Buffer): string =>
  `${bytes.length}:${createHash('md5').update(bytes).digest('hex').slice(0, 8)}`;

const told = (
  { bytes, metadata, marks }: Pick<ModelBlob, 'bytes' | 'metadata' | 'marks'>,
  snapshots: readonly Buffer[],
): string =>
  [sum(bytes), metadata, marks.tags, marks.tier, marks.lease, ...snapshots.map(sum)]
    .filter(text => text !== undefined && text !== '')
    .join(' ');

const toldBlocks = (blocks: ReadonlyMap<string, number>): string =>
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

async function read(context: BlobContext, blob: string, snapshot: bigint | undefined): Promise<Buffer> {
  const outcome = await execute(
    { kind: 'getBlob', container: CONTAINER, blob, snapshot, range: undefined, conditions: NO_CONDITIONS },
    context,
  );
  if (outcome.kind !== 'blobContent') throw new Error(outcome.kind);
  if (Buffer.isBuffer(outcome.content)) return outcome.content;
  const pieces: Buffer[] = [];
  for await (const piece of outcome.content) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

/** What is in the store, by lists, block lists and reads. */
export async function showStore(context: BlobContext): Promise<Record<string, string>> {
  const listed = await execute(
    {
      kind: 'listBlobs',
      container: CONTAINER,
      prefix: '',
      delimiter: '',
      from: undefined,
      top: 5000,
      snapshots: true,
      uncommitted: false,
    },
    context,
  );
  if (listed.kind !== 'blobs') throw new Error(listed.kind);
  const shown: Record<string, string> = {};
  for (const name of NAMES) {
    const snapshots: Buffer[] = [];
    let blob: string | undefined;
    for (const entry of listed.entries) {
      if (entry.kind !== 'blob' || entry.name !== name) continue;
      const { snapshot, metadata, tags, tier, lease } = entry.blob;
      const bytes = await read(context, name, snapshot);
      if (snapshot !== undefined) snapshots.push(bytes);
      else {
        const state = lease?.state === 'leased' ? 'leased' : '';
        const marks = { tags: tags[0]?.[1] ?? '', tier: tier?.name ?? '', lease: state };
        blob = told({ bytes, metadata: metadata[0]?.value ?? '', marks }, snapshots);
      }
    }
    shown[name] = `${blob ?? 'none'} | ${toldBlocks(await stagedOf(context, name))}`;
  }
  return shown;
}

async function stagedOf(context: BlobContext, blob: string): Promise<ReadonlyMap<string, number>> {
  const asked = {
    committed: false,
    uncommitted: true,
    snapshot: undefined,
    leaseId: undefined,
    ifTags: undefined,
  };
  try {
    const outcome = await execute({ kind: 'getBlockList', container: CONTAINER, blob, ...asked }, context);
    if (outcome.kind !== 'blocks') throw new Error(outcome.kind);
    return new Map((outcome.uncommitted ?? []).map(({ id, length }) => [id, length]));
  } catch (error) {
    if (error instanceof BlobError) return new Map();
    throw error;
  }
}
