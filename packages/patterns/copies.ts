// Copies of some properties of one entity in rows of another, as `shelfmark-patterns/copies`: the guide's denormalization, kept by a flow.
import { Copies, type CopiesSpec, type CopyInput } from './copies/copies.js';
import type { AnyEntity } from './model/entity.js';
import type { FlowOptions } from './workflow/definition.js';

export type { Copies, CopiesSpec, CopyFinding, CopyInput } from './copies/copies.js';
export { type CopyProps, type CopySpec, type Embedded, embed, type WhenDeleted } from './copies/embed.js';

/** Copies of a source in the rows of `spec.holder`, kept by the flow of this name. */
export const copies = <H extends AnyEntity, S extends AnyEntity>(
  name: string,
  spec: CopiesSpec<H, S>,
  options: FlowOptions<CopyInput> = {},
): Copies<H, S> => new Copies(name, spec, options);
