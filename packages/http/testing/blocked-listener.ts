// A listener whose thread blocks until it gets a message. Runs in a worker.
import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { listen } from '../listen.js';
import { answer } from './raw-socket.js';

const listener = await listen({ host: '127.0.0.1', port: 0 }, ({ target }) =>
  Promise.resolve(answer(target)),
);
parentPort?.postMessage(listener.port);
// Subscribes before the thread blocks: the message may arrive in the meantime.
const closing = parentPort && once(parentPort, 'message');
Atomics.wait(new Int32Array(workerData), 0, 0);
await closing;
await listener.close();
