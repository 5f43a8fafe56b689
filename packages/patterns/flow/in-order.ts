// Bounded concurrency: runs a limited number of asynchronous steps at a time and gives their results in the order of the input. Starts no step whose
// result is not wanted any more.

/** A controller that also ends with the signal. `release` when it is no longer needed. */
export function linkedController(signal: AbortSignal | undefined): AbortController & { release(): void } {
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  const release = (): void => signal?.removeEventListener('abort', abort);
  return Object.assign(controller, { release });
}

export interface InOrderOptions {
  /** How many steps may be under way. */
  readonly concurrency: number;
  readonly signal?: AbortSignal | undefined;
}

type Items<T> = Iterable<T> | AsyncIterable<T>;

/**
 * What `step` gives for each item, in the order of the items. At most `concurrency` steps are under way or done and not yet taken. The first failure, or
 * a consumer that leaves, ends the others by the signal that they got.
 */
export async function* inOrder<T, R>(
  items: Items<T>,
  { concurrency, signal }: InOrderOptions,
  step: (item: T, signal: AbortSignal) => Promise<R>,
): AsyncGenerator<R, void, undefined> {
  const linked = linkedController(signal);
  const waiting: Promise<R>[] = [];
  const begin = (item: T): void => {
    const result = step(item, linked.signal);
    // It is awaited in its turn, and may fail before that.
    result.catch(() => undefined);
    waiting.push(result);
  };
  try {
    for await (const item of items) {
      linked.signal.throwIfAborted();
      begin(item);
      const first = waiting.length >= concurrency ? waiting.shift() : undefined;
      if (first !== undefined) yield await first;
    }
    for (let first = waiting.shift(); first; first = waiting.shift()) yield await first;
  } finally {
    linked.abort();
    linked.release();
  }
}

/** The results as a list. */
export async function allInOrder<T, R>(
  items: Items<T>,
  options: InOrderOptions,
  step: (item: T, signal: AbortSignal) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for await (const result of inOrder(items, options, step)) results.push(result);
  return results;
}
