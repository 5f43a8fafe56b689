// Kills a process that exits while it writes. The writing thread waits for this one to change the trees, and the exit
// waits for that thread: it would never end, and no other process could write, because the thread holds the write lock.
// A kill releases the lock, and acknowledged changes survive it. The process loses its exit code.

let underWay = 0;
let isWatching = false;

/** Call before a write transaction. */
export function beginWriting(): void {
  underWay += 1;
  if (isWatching) return;
  isWatching = true;
  process.on('exit', () => {
    if (underWay > 0) process.kill(process.pid, 'SIGKILL');
  });
}

/** Call after it, however it ended. */
export function endWriting(): void {
  underWay -= 1;
}
