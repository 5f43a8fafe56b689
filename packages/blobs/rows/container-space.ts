// A container's space in the store: its address, how it is opened, and its metadata, versioned JSON. Ticks and policies are texts in it, because JSON has no
// integers of 64 bits.
import {
  decodeIdentifiers,
  decodeVersioned,
  encodeIdentifiers,
  encodeVersioned,
  type Metadata,
  type SignedIdentifier,
} from '#account';
import type { Space, SpaceAddress, Store } from '#store';
import { BlobError } from '../blob-error.js';
import type { Lease } from '../values/conditions.js';
import type { PublicAccess } from '../values/properties.js';

/** Names of containers have no upper case (protocol: containers#names). */
export const containerAddress = (account: string, container: string): SpaceAddress => ({
  account,
  service: 'blob',
  name: container,
});

/** A container that is being deleted counts as missing, except for a create (protocol: containers#create-and-delete). */
export const missingContainer = (): BlobError => new BlobError('ContainerNotFound');

/** Fails with BlobError ContainerNotFound. */
export async function openContainer(
  { store, account }: { readonly store: Store; readonly account: string },
  container: string,
): Promise<Space> {
  return there(await store.getSpace(containerAddress(account, container)));
}

/** A space, or what a commit to it returned. Not async: each awaited function costs about 0.4 us. @throws BlobError ContainerNotFound. */
export function there<T>(found: T | undefined): T {
  if (found === undefined) throw missingContainer();
  return found;
}

export interface Container {
  readonly etag: bigint;
  readonly lastModified: bigint;
  readonly metadata: Metadata;
  readonly publicAccess: PublicAccess;
  readonly identifiers: readonly SignedIdentifier[];
  readonly lease: Lease | undefined;
}

interface StoredContainer {
  readonly etag: string;
  readonly modified: string;
  readonly metadata: readonly (readonly [string, string])[];
  readonly access: PublicAccess;
  readonly acl: string;
  readonly lease?:
    | {
        readonly id: string;
        readonly seconds: number;
        readonly expires: string;
        readonly broken: string;
      }
    | undefined;
}

const VERSION = 1;

export function encodeContainer(container: Container): Buffer {
  const { lease } = container;
  const stored: StoredContainer = {
    etag: container.etag.toString(),
    modified: container.lastModified.toString(),
    metadata: container.metadata.map(({ name, value }) => [name, value]),
    access: container.publicAccess,
    acl: encodeIdentifiers(container.identifiers).toString(),
    lease: lease && {
      id: lease.id,
      seconds: lease.seconds,
      expires: lease.expires.toString(),
      broken: lease.broken.toString(),
    },
  };
  return encodeVersioned(VERSION, stored);
}

/** @throws StoreError `corrupt` or `unsupported`. */
export function decodeContainer(bytes: Buffer): Container {
  return decodeVersioned(VERSION, bytes, "A container's metadata", value => {
    const { etag, modified, metadata, access, acl, lease } = value as StoredContainer;
    return {
      etag: BigInt(etag),
      lastModified: BigInt(modified),
      metadata: metadata.map(([name, text]) => ({ name, value: text })),
      publicAccess: access,
      identifiers: decodeIdentifiers(Buffer.from(acl)),
      lease: lease && {
        id: lease.id,
        seconds: lease.seconds,
        expires: BigInt(lease.expires),
        broken: BigInt(lease.broken),
      },
    };
  });
}
