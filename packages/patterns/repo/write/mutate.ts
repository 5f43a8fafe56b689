// Optimistic concurrency: read, compute, write if the row is unchanged, else again. All attempts share one operation id, so that an attempt that was
// applied although its answer was lost is not repeated.

import type { CallOptions } from '../../concurrency/abort.js';
import { isSameRow } from '../../model/address.js';
import type { Stored } from '../../model/stored.js';
import { type RowAddress, refuseDefinition, refuseValue } from '../../values/pattern-error.js';
import { Attempts, isLost } from '../optimistic.js';
import { newIdentity } from './plan-write.js';
import type { Identity } from './planned-write.js';
import type { Service } from './service.js';

/** The row that is changed, as its repository reads and writes it. `G` is what a program gives for it, which the library completes. */
export interface MutableRow<T, G, N extends string = string> {
  readonly address: RowAddress;
  read(options: CallOptions): Promise<Stored<T, N> | undefined>;
  write(
    stored: Stored<T, N> | undefined,
    value: G,
    identity: Identity,
    options: CallOptions,
  ): Promise<Stored<T, N>>;
  /** The value as it was read, whatever was done to it since. */
  valueAsRead(stored: Stored<T, N>): T | Promise<T>;
  /** Whether two values are the same row. */
  isSame(a: G, b: G): boolean;
}

/** How often `mutate` tries. */
export interface MutateOptions extends CallOptions {
  /** 8 by default. */
  readonly attempts?: number;
  /** Calls the function twice each time and compares, for tests. */
  readonly checksPurity?: boolean;
}

/** A value to write; undefined leaves the row as it is. */
export type Change<T, G = T> = (current: T | undefined) => G | undefined;

/** Throws DefinitionInvalid if a second call gives another value. */
async function refuseImpure<T, G, N extends string>(
  row: MutableRow<T, G, N>,
  change: Change<T, G>,
  stored: Stored<T, N> | undefined,
  value: G | undefined,
): Promise<void> {
  // The first call may have changed the object that it got.
  const again = change(stored && (await row.valueAsRead(stored)));
  const isSame = value === undefined || again === undefined ? value === again : row.isSame(value, again);
  if (!isSame) refuseDefinition('mutate', 'the function gave two values for one row');
}

/** Whether there is nothing to write: the value may be the object that was read, changed in place. */
async function isAsRead<T, G, N extends string>(
  row: MutableRow<T, G, N>,
  stored: Stored<T, N> | undefined,
  value: G,
): Promise<boolean> {
  const given: unknown = value;
  if (stored === undefined || given !== stored.value) return false;
  return row.isSame(value, (await row.valueAsRead(stored)) as unknown as G);
}

/** The row as it is at the end; undefined if there is none. Throws Contention, and what a write throws. */
export async function mutate<T, G, N extends string>(
  row: MutableRow<T, G, N>,
  change: Change<T, G>,
  service: Service,
  { attempts: most, checksPurity = false, signal }: MutateOptions,
): Promise<Stored<T, N> | undefined> {
  const attempts = new Attempts(service.surroundings, { attempts: most, signal });
  const identity = newIdentity(service);
  for (;;) {
    const stored = await row.read({ signal });
    const ids = stored && identity?.operationIds.ofUnknown(stored.unknown);
    if (identity && ids?.includes(identity.operationId)) return stored;
    const value = change(stored?.value);
    if (checksPurity) await refuseImpure(row, change, stored, value);
    if (value === undefined || (await isAsRead(row, stored, value))) return stored;
    try {
      return await row.write(stored, value, identity, { signal });
    } catch (thrown) {
      if (!isLost(thrown)) throw thrown;
    }
    await attempts.next(row.address, stored?.etag);
  }
}

/** Throws ValueInvalid for a value of another row than the one that is changed. */
export function refuseOtherKey(address: RowAddress, row: Omit<RowAddress, 'table'>): void {
  if (isSameRow(row, address)) return;
  refuseValue(
    'key',
    `('${address.partitionKey}', '${address.rowKey}')`,
    'the function gave a value with another key',
  );
}
