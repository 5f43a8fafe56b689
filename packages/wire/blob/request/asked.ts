// A request whose operation is known, as the parsers of operations take it.
import type { Operation, OperationKind, Source } from '#blobs';
import { type BlobRoute, blobAddressOf } from '../blob-route.js';
import { sourceConditionsOf } from './conditions.js';
import type { Headers } from './header-values.js';
import { snapshotOf } from './ranges.js';
import type { IncomingBody } from './uploads.js';

/** The source of a copy once it is known to be a blob of this server that the caller may read. */
export type CopySource = Omit<Source, 'conditions'>;

export interface Asked {
  readonly headers: Headers;
  readonly route: BlobRoute;
  /** As it is echoed. */
  readonly version: string;
  /** Of the operations that have a document. */
  readonly body: Buffer;
  /** Of those that store a content. */
  readonly upload: IncomingBody | undefined;
  /** Of those that copy. */
  readonly source: CopySource | undefined;
}

/** Of a group of operations; ../parse-blob-operation.ts has all groups. */
export type Parsers = Readonly<Partial<Record<OperationKind, (asked: Asked) => Operation>>>;

export const onContainer = ({ route }: Asked): { readonly container: string } => ({
  container: blobAddressOf(route).container,
});

export const onSnapshot = (asked: Asked) => ({
  ...blobAddressOf(asked.route),
  snapshot: snapshotOf(asked.route.query),
});

const NOWHERE: CopySource = { account: '', container: '', blob: '', snapshot: undefined, url: '' };

export const sourceOf = ({ headers, source }: Asked): Source => ({
  ...(source ?? NOWHERE),
  conditions: sourceConditionsOf(headers),
});
