// Copies of some properties of one entity in rows of another, as `shelfmark-patterns/copies`: the guide's denormalization, kept in the transaction of the source or by a flow.
import { Copies, type CopyInput } from './derived/copies/copies.js';
import type { CopiesSpec } from './derived/copies/copy-rules.js';
import type { FlowOptions } from './flows/definition.js';
import type { AnyEntity } from './model/definition.js';

export type { Copies, CopiesPlan, CopyInput } from './derived/copies/copies.js';
export { type Embedded, embed } from './derived/copies/copy-rules.js';

/** Copies of a source in the rows of `spec.holder`, kept by every write of these: in one transaction, or by the flow of this name. */
export const copies = <H extends AnyEntity, S extends AnyEntity>(
  name: string,
  spec: CopiesSpec<H, S>,
  options: FlowOptions<CopyInput> = {},
): Copies<H, S> => new Copies(name, spec, options);
