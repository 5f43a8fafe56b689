// The next turn of the event loop: whoever computes for long waits for it now and then, so that others get the thread.

export const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
