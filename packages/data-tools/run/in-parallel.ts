// Processes items concurrently, up to a limit, in order.

/** Processes all; stops at the first failure, when those in progress have ended. @throws that failure */
export async function inParallel<T>(
  items: Iterable<T>,
  parallel: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  let failure: { readonly error: unknown } | undefined;
  const lane = async (): Promise<void> => {
    while (failure === undefined) {
      const next = iterator.next();
      if (next.done) return;
      try {
        await work(next.value);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: parallel }, lane));
  if (failure !== undefined) throw failure.error;
}
