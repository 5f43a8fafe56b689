// The changes of the catalogue, each inside a group's transaction like a commit. Each uses a tick, so that the last
// tick shows whether a transaction begins from the one before it (logged-batches.ts).
import type { Space, SpaceAddress } from '#store';
import type { Catalog } from '../layout/catalog.js';
import { type Group, grow, type Work } from './commits.js';

interface CreatedSpace {
  readonly space: Space;
  /** False if the space was there before. */
  readonly isNew: boolean;
}

export class CreateSpaceWork implements Work<CreatedSpace> {
  readonly #catalog: Catalog;
  readonly #address: SpaceAddress;
  readonly #metadata: Buffer;

  /** Copies `metadata`: the caller may change it before the work runs. */
  constructor(catalog: Catalog, address: SpaceAddress, metadata: Buffer) {
    this.#catalog = catalog;
    this.#address = address;
    this.#metadata = Buffer.from(metadata);
  }

  run(group: Group): CreatedSpace {
    const { counters } = group;
    const { account, service, name } = this.#address;
    this.#catalog.assertAddress(this.#address);
    const existing = this.#catalog.getSpace(this.#address);
    if (existing !== undefined) return { space: existing, isNew: false };
    grow(group);
    const id = counters.nextSpaceId();
    const created = counters.nextTick();
    const space = { account, service, name, id, created, metadata: this.#metadata };
    this.#catalog.putSpace(space);
    counters.useTick(created);
    return { space, isNew: true };
  }
}

export class UpdateSpaceWork implements Work<Space | undefined> {
  readonly #catalog: Catalog;
  readonly #space: Space;
  readonly #change: (metadata: Buffer) => Buffer;

  constructor(catalog: Catalog, space: Space, change: (metadata: Buffer) => Buffer) {
    this.#catalog = catalog;
    this.#space = space;
    this.#change = change;
  }

  run(group: Group): Space | undefined {
    const { counters } = group;
    const current = this.#catalog.getSpace(this.#space);
    if (current?.id !== this.#space.id) return undefined;
    const changed = { ...current, metadata: Buffer.from(this.#change(current.metadata)) };
    grow(group);
    this.#catalog.putSpace(changed);
    counters.useTick(counters.nextTick());
    return changed;
  }
}

export class DropSpaceWork implements Work<boolean> {
  readonly #catalog: Catalog;
  readonly #space: Space;

  constructor(catalog: Catalog, space: Space) {
    this.#catalog = catalog;
    this.#space = space;
  }

  run(group: Group): boolean {
    if (!this.#catalog.isLiving(this.#space)) return false;
    const tick = group.counters.nextTick();
    this.#catalog.dropSpace(this.#space, tick);
    group.counters.useTick(tick);
    group.livingSpace = undefined;
    return true;
  }
}
