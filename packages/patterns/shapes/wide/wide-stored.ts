// A wide entity as it was read or written: its value, and the row of each property.
import type { AnyEntity } from '../../model/definition.js';
import type { RowRef, StoredOf } from '../../model/stored.js';
import type { WidePiece } from './wide-rows.js';

/** A whole wide entity. Its ETag is that of all its rows: each write of any of them changes it. */
export type WideStored<E extends AnyEntity> = StoredOf<E> & { readonly pieces: readonly WidePiece[] };

/** The wide entity to be changed: one that was read or written, or a key and the ETag that it must have, `*` for any. */
export type WideTarget<E extends AnyEntity> = WideStored<E> | RowRef<E>;
