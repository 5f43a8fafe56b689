// The context of the Blob service's operations, and how a container is opened.
import type { DeletionDelay } from '#account';
import type { Clock } from '#base';
import type { ContentStore, Space, Store } from '#store';
import type { BackgroundWork } from './background-work.js';
import { BlobError } from './blob-error.js';
import { containerAddress } from './rows/container-space.js';

/** The MD5 of one body, computed off the event loop. Must be ended or dropped. */
export interface OffThreadMd5 {
  /** A promise where the piece has to be waited for; afterwards it may change. */
  update(piece: Buffer): Promise<void> | undefined;
  end(): Promise<Buffer>;
  drop(): void;
}

/** Gives undefined where it has too much to do. */
export type OpenMd5 = () => OffThreadMd5 | undefined;

export interface BlobContext {
  readonly store: Store;
  /** Of the same engine. */
  readonly content: ContentStore;
  readonly account: string;
  /** Gives new GUIDs in lower case, which cannot be guessed. */
  readonly ids: () => string;
  readonly clock: Clock;
  /** One for all requests of a server. */
  readonly background: BackgroundWork;
  /** Its commits do not wait for the writer that has the blob to itself: it is that one. */
  readonly isAlone?: boolean | undefined;
  /** Absent where the event loop computes every MD5 itself. */
  readonly openMd5?: OpenMd5 | undefined;
  /** Absent where a deleted container's name is free at once. */
  readonly deletion?: DeletionDelay | undefined;
}

/** A container that is being deleted counts as missing, except for a create (protocol: containers#create-and-delete). */
export const missingContainer = (): BlobError => new BlobError('ContainerNotFound');
export const missingBlob = (): BlobError => new BlobError('BlobNotFound');

/** Fails with BlobError ContainerNotFound. */
export async function openContainer(
  { store, account }: Pick<BlobContext, 'store' | 'account'>,
  container: string,
): Promise<Space> {
  return there(await store.getSpace(containerAddress(account, container)));
}

/** For the most frequent operation, which waits itself: each awaited function costs about 0.4 us. @throws BlobError ContainerNotFound. */
export function there(space: Space | undefined): Space {
  if (space === undefined) throw missingContainer();
  return space;
}
