// The injected clock: the program that opens a server or a store passes one, and tests pass their own.

/** The time in ticks of 100 ns since 1970-01-01T00:00:00Z. May jump either way; engines keep versions rising. */
export type Clock = () => bigint;

/** The wall clock, in steps of a millisecond. */
export const systemClock: Clock = () => BigInt(Date.now()) * 10_000n;
