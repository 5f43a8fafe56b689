// The operations that steps of the plain model stand for.
import { randomUUID } from 'node:crypto';
import { systemClock } from '#base';
import {
  BackgroundWork,
  type BlobContext,
  BlobError,
  BlobSweep,
  execute,
  NO_CONDITIONS,
  NO_PROPERTIES,
  type Operation,
  type Source,
  type Upload,
} from '#blobs';
import type { StoreWithContent } from '#store';
import {
  bytesOf,
  CONTAINER,
  idOf,
  LEASE,
  listOf,
  NAMES,
  nameOf,
  PAGE,
  PAGES,
  type Step,
  spanOf,
  tierOf,
} from './blob-model.js';

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

export const putOf = (blob: string, bytes: Buffer): Operation => ({
  kind: 'putBlockBlob',
  container: CONTAINER,
  blob,
  ...WHOLE,
  upload: uploadOf(bytes),
});

const UNGUARDED = { snapshot: undefined, conditions: NO_CONDITIONS, tierConditions: NO_CONDITIONS } as const;

export function operationOf(step: Step): Operation {
  const on = { container: CONTAINER, blob: nameOf(step.blob) } as const;
  const conditions = NO_CONDITIONS;
  const upload = () => uploadOf(bytesOf(step));
  switch (step.kind) {
    case 'put':
      return putOf(on.blob, bytesOf(step));
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
    case 'copyFromUrl':
      return copyOf(on, nameOf(step.other), step.kind === 'copyFromUrl');
    case 'putFromUrl':
    case 'appendFromUrl':
    case 'blockFromUrl':
    case 'pagesFromUrl':
      return fromUrl(step, step.kind, on);
    default:
      return settingOf(step, on);
  }
}

type On = { readonly container: string; readonly blob: string };

/** Operations that change the head of a blob, or its length. */
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

const sourceOf = (blob: string): Source => ({
  account: 'account1',
  container: CONTAINER,
  blob,
  snapshot: undefined,
  url: 'http://here/',
  conditions: NO_CONDITIONS,
});

type FromUrl = 'putFromUrl' | 'appendFromUrl' | 'blockFromUrl' | 'pagesFromUrl';

function fromUrl(step: Step, kind: FromUrl, on: On): Operation {
  const conditions = { ...NO_CONDITIONS, appendPosition: undefined, maxSize: undefined };
  const digests = { md5: undefined, crc64: undefined };
  const source = sourceOf(nameOf(step.other));
  const whole = { ...source, ...digests, range: { from: 0, until: undefined } };
  if (kind === 'blockFromUrl')
    return { kind: 'putBlockFromUrl', ...on, id: idOf(step.fill), leaseId: undefined, source: whole };
  if (kind === 'appendFromUrl') return { kind: 'appendBlockFromUrl', ...on, conditions, source: whole };
  if (kind === 'putFromUrl') {
    const rest = { ...digests, propertiesOfSource: false, tagsOfSource: false };
    return { kind: 'putBlobFromUrl', ...on, ...WHOLE, source, ...rest };
  }
  const span = spanOf(step);
  return { kind: 'putPagesFromUrl', ...on, span, conditions: PAGING, source: { ...whole, range: span } };
}

const copyOf = (on: On, from: string, isSynchronous: boolean): Operation => ({
  kind: 'copyBlob',
  ...on,
  source: sourceOf(from),
  metadata: undefined,
  tags: [],
  tagsOfSource: false,
  tier: undefined,
  seal: undefined,
  isSynchronous,
  md5: undefined,
  conditions: NO_CONDITIONS,
});

/** Without a server. */
export const contextOn = (store: StoreWithContent, more: Partial<BlobContext> = {}): BlobContext => ({
  store,
  content: store.content,
  account: 'account1',
  ids: randomUUID,
  clock: systemClock,
  background: new BackgroundWork(),
  ...more,
});

/** A whole pass; resolves with how much it reclaimed. */
export async function sweepBlobs(context: BlobContext): Promise<number> {
  const sweep = new BlobSweep({ ...context, accounts: () => [context.account] });
  for (let reclaimed = 0; ; ) {
    const step = await sweep.step();
    reclaimed += step.reclaimed;
    if (step.isPassOver) return reclaimed;
  }
}

/** Each can be written to, and is deleted; then a sweep. */
export async function deleteBlobs(context: BlobContext): Promise<void> {
  const step = { other: 0, size: 20_000, fill: 0 } as const;
  for (const blob of NAMES.keys()) {
    // It may have a lease.
    await execute(operationOf({ ...step, kind: 'lease', blob }), context).catch(() => undefined);
    for (const kind of ['put', 'delete'] as const)
      await execute(operationOf({ ...step, kind, blob }), context);
  }
  await context.background.settled();
  await sweepBlobs(context);
}

/** Also for steps of more than one operation. */
export async function perform(step: Step, context: BlobContext): Promise<void> {
  const on = { container: CONTAINER, blob: nameOf(step.blob) };
  const conditions = NO_CONDITIONS;
  if (step.kind === 'dropContainer') {
    await execute({ kind: 'deleteContainer', container: CONTAINER, conditions }, context);
    await makeContainer(context);
  } else if (step.kind === 'deleteSnapshot') {
    const snapshot = await oldestSnapshot(on.blob, context);
    await execute({ kind: 'deleteBlob', ...on, ...UNGUARDED, snapshot, snapshots: undefined }, context);
  } else await execute(operationOf(step), context);
}

export async function makeContainer(context: BlobContext): Promise<void> {
  const container = { kind: 'createContainer', container: CONTAINER, metadata: [] } as const;
  await execute({ ...container, publicAccess: 'private' }, context);
}

async function oldestSnapshot(blob: string, context: BlobContext): Promise<bigint | undefined> {
  const page = { delimiter: '', from: undefined, top: 100, snapshots: true, uncommitted: false };
  const listed = await execute({ kind: 'listBlobs', container: CONTAINER, prefix: blob, ...page }, context);
  if (listed.kind !== 'blobs') throw new Error(listed.kind);
  const [first] = listed.entries;
  if (first?.kind !== 'blob' || first.blob.snapshot === undefined) throw new BlobError('BlobNotFound');
  return first.blob.snapshot;
}
