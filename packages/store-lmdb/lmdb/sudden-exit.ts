// Ends a process that exits while it writes. The thread that writes waits for this one to change the trees, and the exit waits for
// that thread: it would never end, and nobody else could write, because the thread has the right to. A killed process gives it up,
// and what was answered survives that. It costs the process its exit code.

let underWay = 0;
let isWatching = false;

/** Before a write transaction. */
export function beginWriting(): void {
  underWay += 1;
  if (isWatching) return;
  isWatching = true;
  process.on('exit', () => {
    if (underWay > 0) process.kill(process.pid, 'SIGKILL');
  });
}

/** After it, however it ended. */
export function endWriting(): void {
  underWay -= 1;
}
