// The changes of the catalogue, each inside a group's transaction like a commit. Each uses a tick, so that the last
// tick shows whether a transaction begins from the one before it (logged-batches.ts).
import type { Space, SpaceAddress } from '#store';
import type { Catalog } from '../layout/catalog.js';
import { grow, type Work } from './group.js';

interface CreatedSpace {
  readonly space: Space;
  /** False if the space was there before. */
  readonly isNew: boolean;
}

/** Copies `metadata`: the caller may change it before the work runs. */
export function createSpace(catalog: Catalog, address: SpaceAddress, metadata: Buffer): Work<CreatedSpace> {
  const copy = Buffer.from(metadata);
  return {
    run(group) {
      const { counters } = group;
      const { account, service, name } = address;
      catalog.assertAddress(address);
      const existing = catalog.getSpace(address);
      if (existing !== undefined) return { space: existing, isNew: false };
      grow(group);
      const id = counters.nextSpaceId();
      const created = counters.nextTick();
      const space = { account, service, name, id, created, metadata: copy };
      catalog.putSpace(space);
      counters.useTick(created);
      return { space, isNew: true };
    },
  };
}

export const updateSpace = (
  catalog: Catalog,
  space: Space,
  change: (metadata: Buffer) => Buffer,
): Work<Space | undefined> => ({
  run(group) {
    const { counters } = group;
    const current = catalog.getSpace(space);
    if (current?.id !== space.id) return undefined;
    const changed = { ...current, metadata: Buffer.from(change(current.metadata)) };
    grow(group);
    catalog.putSpace(changed);
    counters.useTick(counters.nextTick());
    return changed;
  },
});

export const dropSpace = (
  catalog: Catalog,
  space: Space,
  check?: (metadata: Buffer) => void,
): Work<boolean> => ({
  run(group) {
    const current = catalog.getSpace(space);
    if (current?.id !== space.id) return false;
    check?.(current.metadata);
    const tick = group.counters.nextTick();
    catalog.dropSpace(space, tick);
    group.counters.useTick(tick);
    group.livingSpace = undefined;
    return true;
  },
});
