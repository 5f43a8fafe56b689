// The clock that all processes of a machine share. `performance.now()` counts from each process's own start instead.

/** Milliseconds since some moment before any of them began; only differences mean something. */
export const machineNow = (): number => Number(process.hrtime.bigint()) / 1e6;
