// A server with tables, queues and bytes in a process of its own, which reports its memory. Run by fork(): it sends its
// address; a message `reset` starts a measurement, any other requests the growth since then.
import { serve } from '#server';
import { ENGINES, SERVICES } from '#server/parts';
import { BYTES } from './byte-service.js';

export interface ByteServer {
  readonly account: { readonly name: string; readonly key: string };
  readonly tablePort: number;
  readonly bytes: string;
}

/** In bytes. Memory external to V8's heap, including the buffers of bodies, is also resident once it was written to. */
export interface MemoryGrowth {
  readonly resident: number;
  readonly external: number;
}

let before = process.memoryUsage();
let peak = before;

function sample(): void {
  const now = process.memoryUsage();
  peak = { ...now, rss: Math.max(peak.rss, now.rss), external: Math.max(peak.external, now.external) };
}

function growth(): MemoryGrowth {
  sample();
  return { resident: peak.rss - before.rss, external: peak.external - before.external };
}

const server = await serve({}, ENGINES, [...SERVICES, BYTES]);
setInterval(sample, 20).unref();
process.on('message', message => {
  if (message === 'reset') {
    before = process.memoryUsage();
    peak = before;
  } else process.send?.(growth());
});
process.on('disconnect', () => process.exit());
const { account, tablePort, endpoints } = server;
process.send?.({ account, tablePort, bytes: endpoints.byte } satisfies Partial<
  Record<keyof ByteServer, unknown>
>);
