// Memory outside of V8's heap that pieces of streamed bodies leave behind: V8 collects it late, by a look at the whole heap for each 64 MB, so that a server
// with large transfers holds up to 100 MB of it. A process that may tune its collector sets one here that takes the young garbage alone, which
// pieces are, and those who make pieces say how many bytes they made.

/** Little against what a server holds anyway; a collection of young garbage takes about a millisecond. */
export const COLLECTED_EVERY_BYTES = 8 * 1024 * 1024;

let collect: (() => void) | undefined;
let bytes = 0;

/** Without one nothing is collected but by V8 itself. */
export function collectYoungBy(collector: () => void): void {
  collect = collector;
}

/** A piece was made that nobody will need for long. */
export function noteStreamed(count: number): void {
  if (collect === undefined) return;
  bytes += count;
  if (bytes < COLLECTED_EVERY_BYTES) return;
  bytes = 0;
  collect();
}
