// The next turn of the event loop: long computations await it now and then, to yield the thread.

export const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
