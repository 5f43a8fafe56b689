// Waits for a name whose table, queue or container is being deleted: Azure reserves it for 30 s or longer.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Endpoint, SourceContext } from './endpoint.js';
import { ToolError } from './tool-error.js';

const PAUSE_MILLISECONDS = 2000;

/**
 * Creates something of the name `what`, as soon as that is free.
 *
 * @param make is undefined while the name is being deleted.
 * @throws ToolError gaveUp, and what `make` throws.
 */
export async function untilFree<T>(
  what: string,
  endpoint: Endpoint,
  { retryForMilliseconds, signal }: SourceContext,
  make: () => Promise<T | undefined>,
): Promise<T> {
  const begun = performance.now();
  for (;;) {
    const made = await make();
    if (made !== undefined) return made;
    if (performance.now() - begun > retryForMilliseconds)
      throw new ToolError('gaveUp', `${what} is still being deleted at ${endpoint.name}.`);
    await sleep(PAUSE_MILLISECONDS, undefined, { signal });
  }
}
