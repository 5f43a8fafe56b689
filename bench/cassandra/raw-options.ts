// How the driver alone sends statements: with the consistencies of the engine's, and how it fills tables: by several
// writers, with retries if a busy machine is late.
import cassandra from 'cassandra-driver';

const { consistencies } = cassandra.types;
const FILL_ATTEMPTS = 10;

export const SERIAL = { prepare: true, consistency: consistencies.localSerial, autoPage: false } as const;
export const QUORUM = { prepare: true, consistency: consistencies.localQuorum, autoPage: false } as const;
export const CONDITIONAL = {
  prepare: true,
  logged: false,
  consistency: consistencies.localQuorum,
  serialConsistency: consistencies.localSerial,
} as const;

/** Without a condition: only where no other process writes. */
export const SET_FENCE = 'UPDATE row SET fence = ? WHERE sid = ? AND pk = ?';

export async function again(write: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await write();
      return;
    } catch (error) {
      if (attempt === FILL_ATTEMPTS) throw error;
    }
  }
}

export interface Queried {
  readonly query: string;
  readonly params: unknown[];
}

/** Without a condition, and harmless to repeat. */
export const fillBatch = (client: cassandra.Client, queries: readonly Queried[]): Promise<void> =>
  again(() => client.batch([...queries], { ...QUORUM, logged: false }));

/** Takes this many steps, a number of them at a time. */
export async function inTurns(
  turns: number,
  atOnce: number,
  step: (turn: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const filler = async (): Promise<void> => {
    for (let turn = next++; turn < turns; turn = next++) await step(turn);
  };
  await Promise.all(Array.from({ length: atOnce }, filler));
}

export const numbersFrom = (from: number, until: number): number[] =>
  Array.from({ length: until - from }, (_, offset) => from + offset);
