// An account on a memory store whose clock the test holds, for tests through the package's entry point.
import { outcomeOf, refusalsOf } from '#account/testing';
import { openMemoryStore, type ScanRange } from '#store';
import type { EdmValue, Property } from '../entity/edm.js';
import { decodeEntity } from '../entity/entity-codec.js';
import type { EntityKey } from '../entity/entity-key.js';
import { execute } from '../execute.js';
import type { Condition, Operation } from '../operation.js';
import type { Outcome } from '../outcome.js';
import { TableError } from '../table-error.js';

/** 2020-01-01T01:02:00Z. */
export const START = 15_778_405_200_000_000n;
export const TABLE = 'People';

export interface TestClock {
  now: bigint;
  /** Added at every reading. */
  step: bigint;
}

export interface TestAccount {
  readonly clock: TestClock;
  run(operation: Operation, within?: ScanRange): Promise<Outcome>;
}

/** Without a table; the clock stands still unless the test moves it. */
export function openAccount(): TestAccount {
  const clock: TestClock = { now: START, step: 0n };
  const read = (): bigint => {
    clock.now += clock.step;
    return clock.now;
  };
  const store = openMemoryStore({ clock: read });
  return {
    clock,
    run: (operation, within) => execute(operation, { store, account: 'account1', within }, read),
  };
}

export async function openTable(): Promise<TestAccount> {
  const account = openAccount();
  await account.run({ kind: 'createTable', table: TABLE });
  return account;
}

export { outcomeOf };

/** The refusal, which must have the code. */
export const refusalOf = refusalsOf(TableError);

export const keyOf = (rowKey: string, partitionKey = 'p'): EntityKey => ({ partitionKey, rowKey });
export const text = (name: string, value: string): Property => ({ name, type: 'Edm.String', value });
export const number = (name: string, value: number): Property => ({ name, type: 'Edm.Int32', value });
export const matching = (version: bigint | undefined): Condition => ({ kind: 'version', version });
export const ANY: Condition = { kind: 'any' };

/** Inserts an entity; its version. */
export async function insert(
  { run }: TestAccount,
  key: EntityKey,
  ...properties: Property[]
): Promise<bigint> {
  const operation = { kind: 'insertEntity', table: TABLE, key, properties } as const;
  return (await outcomeOf('inserted', run(operation))).row.version;
}

export interface StoredEntity {
  readonly version: bigint;
  /** Name and value, in stored order. */
  readonly properties: readonly (readonly [string, EdmValue['value']])[];
}

/** What is stored under a key; undefined if nothing is. */
export async function stored({ run }: TestAccount, key: EntityKey): Promise<StoredEntity | undefined> {
  const running = run({ kind: 'getEntity', table: TABLE, key });
  const refusal = await running.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (refusal instanceof TableError && refusal.code === 'ResourceNotFound') return undefined;
  const { row } = await outcomeOf('entity', running);
  return {
    version: row.version,
    properties: decodeEntity(row.value).map(({ name, value }) => [name, value] as const),
  };
}
