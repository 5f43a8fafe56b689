// Abort signals: one listener on a signal however many steps wait for it, for Node warns of more than ten; and controllers that end with a signal.

/** How a call can be ended. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

interface Waiting {
  readonly steps: Set<() => void>;
  readonly abort: () => void;
}

const WAITING = new WeakMap<AbortSignal, Waiting>();

function listenTo(signal: AbortSignal): Waiting {
  const steps = new Set<() => void>();
  const abort = (): void => {
    // A step may release others.
    for (const step of [...steps]) if (steps.has(step)) step();
  };
  const waiting = { steps, abort };
  signal.addEventListener('abort', abort, { once: true });
  WAITING.set(signal, waiting);
  return waiting;
}

/** Calls `run` when the signal ends things, unless the function that this gives was called before. */
export function onAbort(signal: AbortSignal | undefined, run: () => void): () => void {
  if (signal === undefined) return () => undefined;
  const { steps, abort } = WAITING.get(signal) ?? listenTo(signal);
  const step = (): void => run();
  steps.add(step);
  return () => {
    if (!steps.delete(step) || steps.size > 0) return;
    signal.removeEventListener('abort', abort);
    WAITING.delete(signal);
  };
}

/** A controller that also ends with the signal. `release` when it is no longer needed. */
export function linkedController(signal: AbortSignal | undefined): AbortController & { release(): void } {
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal?.reason);
  if (signal?.aborted) abort();
  const release = onAbort(signal, abort);
  return Object.assign(controller, { release });
}

/** The promise's value, unless the signal comes first: the promise itself is shared and is not aborted. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  signal.throwIfAborted();
  let release = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    release = onAbort(signal, () => reject(signal.reason));
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    release();
  }
}
