// Operation ids of writes that a flow knows of: one that a message announced, and those of rows that a flow moves.
import { type OperationId, OperationIds } from '../repo/write/operation-id.js';
import type { WireProperty } from '../values/wire-property.js';

/** The same ids, the next of which was announced before the write. */
export class AnnouncedIds extends OperationIds {
  #first: OperationId | undefined;

  constructor(ids: OperationIds, first: OperationId | undefined) {
    super(ids, ids.chance);
    this.#first = first;
  }

  override next(): OperationId {
    const first = this.#first;
    this.#first = undefined;
    return first ?? super.next();
  }
}

/** The same ids, whose writes of whole rows leave these properties next to the id. */
export class CarryingIds extends OperationIds {
  readonly #carried: readonly WireProperty[];

  constructor(ids: OperationIds, carried: readonly WireProperty[]) {
    super(ids, ids.chance);
    this.#carried = carried;
  }

  override added(operationId: OperationId, unknown: readonly WireProperty[]): readonly WireProperty[] {
    const names = new Set(this.#carried.map(({ name }) => name));
    const others = super.added(operationId, unknown).filter(({ name }) => !names.has(name));
    return [...others, ...this.#carried];
  }
}
