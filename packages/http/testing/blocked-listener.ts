// A listener whose thread stands still until it is told to go on. Runs in a worker.
import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { listen } from '../listen.js';
import { answer } from './raw-socket.js';

const listener = await listen({ host: '127.0.0.1', port: 0 }, ({ target }) =>
  Promise.resolve(answer(target)),
);
parentPort?.postMessage(listener.port);
// Asked for before the thread stands still: the message may come meanwhile.
const closing = parentPort && once(parentPort, 'message');
Atomics.wait(new Int32Array(workerData), 0, 0);
await closing;
await listener.close();
