// Bounded concurrency: runs a limited number of asynchronous steps at a time and gives their results in the order of the input. Starts no step whose
// result is not wanted any more.

import { linkedController, unlessAborted } from './abort.js';

interface InOrderOptions {
  /** How many steps may be under way. */
  readonly concurrency: number;
  readonly signal?: AbortSignal | undefined;
}

type Items<T> = Iterable<T> | AsyncIterable<T>;

/** Items one after the other; those that are there need no waiting. */
interface Source<T> {
  next(): IteratorResult<T> | Promise<IteratorResult<T>>;
  return?(): unknown;
}

const sourceOf = <T>(items: Items<T>): Source<T> =>
  Symbol.asyncIterator in items
    ? (items[Symbol.asyncIterator]() as Source<T>)
    : (items[Symbol.iterator]() as Source<T>);

const isPromise = <T>(value: T | Promise<T>): value is Promise<T> =>
  typeof value === 'object' && value !== null && 'then' in value;

/** Nothing waits for it yet, or any more. */
const unheard = (promise: Promise<unknown>): void => void promise.catch(() => undefined);

/**
 * What `step` gives for each item, in the order of the items, as soon as it is there. At most `concurrency` steps are under way or done and not yet
 * taken. The first failure, or a consumer that leaves, ends the others by the signals that they got.
 */
export async function* inOrder<T, R>(
  items: Items<T>,
  { concurrency, signal }: InOrderOptions,
  step: (item: T, signal: AbortSignal) => Promise<R>,
): AsyncGenerator<R, void, undefined> {
  const source = sourceOf(items);
  const linked = linkedController(signal);
  const begun: { readonly result: Promise<R>; release(): void }[] = [];
  let isAtEnd = false;
  let failure: { readonly thrown: unknown } | undefined;
  let coming: Promise<void> | undefined;
  const take = ({ done, value }: IteratorResult<T>): void => {
    coming = undefined;
    if (done) isAtEnd = true;
    if (done || linked.signal.aborted) return;
    // Each step has a signal of its own, so that none collects the listeners of all.
    const each = linkedController(linked.signal);
    const result = step(value, each.signal);
    unheard(result);
    begun.push({ result, release: each.release });
  };
  const fill = (): void => {
    while (!isAtEnd && coming === undefined && !linked.signal.aborted && begun.length < concurrency) {
      const next = source.next();
      if (isPromise(next)) coming = next.then(take).then(fill).catch(fail);
      else take(next);
    }
  };
  // A source that fails ends the steps, also one that is waited for.
  const fail = (thrown: unknown): void => {
    failure = { thrown };
    linked.abort();
  };
  try {
    for (;;) {
      signal?.throwIfAborted();
      fill();
      const [first] = begun;
      const awaited: Promise<unknown> | undefined = first?.result ?? coming;
      if (awaited === undefined && failure === undefined) return;
      const result = await unlessAborted(awaited ?? Promise.resolve(), signal).catch((thrown: unknown) => {
        throw failure?.thrown ?? thrown;
      });
      if (failure !== undefined) throw failure.thrown;
      if (first === undefined) continue;
      begun.shift()?.release();
      yield result as R;
    }
  } catch (thrown) {
    failure ??= { thrown };
    throw thrown;
  } finally {
    linked.abort();
    linked.release();
    const left = isAtEnd ? undefined : (async () => source.return?.())();
    // What the source throws at its end does not replace the failure.
    const end = failure === undefined ? left : left?.catch(() => undefined);
    // A source that is about to yield an item ends after it, without anything waiting for it.
    if (coming === undefined) await end;
    else if (end !== undefined) unheard(end);
  }
}

/** What `step` gives for each item, as a list. The first failure ends the others by the signals that they got. */
export async function allInOrder<T, R>(
  items: Iterable<T>,
  { concurrency, signal }: InOrderOptions,
  step: (item: T, signal: AbortSignal) => Promise<R>,
): Promise<R[]> {
  const linked = linkedController(signal);
  const results: R[] = [];
  const all = [...items];
  const left = all.entries();
  const work = async (): Promise<void> => {
    for (const [at, item] of left) {
      linked.signal.throwIfAborted();
      const each = linkedController(linked.signal);
      results[at] = await step(item, each.signal);
      each.release();
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(concurrency, all.length) }, work));
    return results;
  } finally {
    linked.abort();
    linked.release();
  }
}
