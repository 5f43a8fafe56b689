// Bounded concurrency: runs a limited number of asynchronous steps at a time and gives their results in the order of the input. Starts no step whose
// result is not wanted any more.

import { linkedController } from './abort.js';

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

/** Steps that were begun; the first is taken first. */
class Steps<T, R> {
  readonly #begun: {
    readonly result: Promise<R>;
    readonly controller: ReturnType<typeof linkedController>;
  }[] = [];
  readonly #signal: AbortSignal | undefined;
  readonly #step: (item: T, signal: AbortSignal) => Promise<R>;

  constructor(signal: AbortSignal | undefined, step: (item: T, signal: AbortSignal) => Promise<R>) {
    this.#signal = signal;
    this.#step = step;
  }

  get count(): number {
    return this.#begun.length;
  }

  get first(): Promise<R> | undefined {
    return this.#begun[0]?.result;
  }

  begin(item: T): void {
    // Each step has a signal of its own, so that none collects the listeners of all.
    const controller = linkedController(this.#signal);
    const result = this.#step(item, controller.signal);
    // It is awaited in its turn, and may fail before that.
    result.catch(() => undefined);
    this.#begun.push({ result, controller });
  }

  /** The first one has been taken. */
  done(): void {
    this.#begun.shift()?.controller.release();
  }

  end(): void {
    for (const { controller } of this.#begun) {
      controller.abort();
      controller.release();
    }
  }
}

const isPromise = <T>(value: T | Promise<T>): value is Promise<T> =>
  typeof value === 'object' && value !== null && 'then' in value;

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
  const steps = new Steps(signal, step);
  let isAtEnd = false;
  let coming: Promise<void> | undefined;
  const take = ({ done, value }: IteratorResult<T>): void => {
    coming = undefined;
    if (done) isAtEnd = true;
    else steps.begin(value);
  };
  const fill = (): void => {
    while (!isAtEnd && coming === undefined && steps.count < concurrency) {
      signal?.throwIfAborted();
      const next = source.next();
      if (isPromise(next)) {
        coming = next.then(take);
        // It is awaited below, unless the consumer leaves before.
        coming.catch(() => undefined);
      } else take(next);
    }
  };
  try {
    for (;;) {
      fill();
      const { first } = steps;
      if (first === undefined) {
        if (coming === undefined) return;
        await coming;
      } else if (coming === undefined || (await isFirst(first, coming))) {
        const result = await first;
        steps.done();
        yield result;
      }
    }
  } finally {
    steps.end();
    // A source that is about to yield an item ends after it, without anything waiting for it.
    if (!isAtEnd && coming === undefined) await source.return?.();
    else if (!isAtEnd) leave(source);
  }
}

/** The source's answer to that is ignored. */
function leave(source: Source<unknown>): void {
  Promise.resolve(source.return?.()).catch(() => undefined);
}

/** Whether the result is there before the next item. Throws at once where the source fails. */
const isFirst = (result: Promise<unknown>, coming: Promise<void>): Promise<boolean> =>
  Promise.race([
    result.then(
      () => true,
      () => true,
    ),
    coming.then(() => false),
  ]);

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
