// Memory outside of V8's heap that pieces of streamed bodies leave behind: V8 collects it late, after scanning the
// whole heap for each 64 MB, so that a server with large transfers holds up to 100 MB of it. A process that may tune
// its collector sets one here that collects only young garbage, which pieces are. Code that makes pieces reports how
// many bytes it made.

/** Little compared with what a server holds anyway; a collection of young garbage takes about a millisecond. */
export const COLLECTED_EVERY_BYTES = 8 * 1024 * 1024;

let collect: (() => void) | undefined;
let bytes = 0;

/** Without one only V8 itself collects. */
export function collectYoungBy(collector: () => void): void {
  collect = collector;
}

/** Reports a short-lived piece. */
export function noteStreamed(count: number): void {
  if (collect === undefined) return;
  bytes += count;
  if (bytes < COLLECTED_EVERY_BYTES) return;
  bytes = 0;
  collect();
}
