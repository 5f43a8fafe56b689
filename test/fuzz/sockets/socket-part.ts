// The part over real sockets: streams of requests to a whole server, many at a time, while other clients never read.
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { Worker } from 'node:worker_threads';
import { Random } from '../../simulation/plan/random.js';
import { describeTally } from '../direct/direct-part.js';
import { bearerToken, randomOf } from '../direct/direct-run.js';
import { type Part, type PartReport, repeatCommand } from '../part.js';
import { sendStream } from './send-stream.js';
import { createEchoTable, readLarge, type Stream, someStream, writeLarge } from './some-stream.js';
import { writeRequest } from './write-request.js';

const THREAD = fileURLToPath(new URL('./server-thread.js', import.meta.url));
const AT_ONCE = 24;
const NON_READERS = 16;
/** Their answers are more than the buffers of any socket hold. */
const NEVER_READ_ANSWERS = 1_000;

interface Server {
  readonly port: number;
  /** Resolves once it has ended on its own. */
  close(): Promise<void>;
}

function startServer(): Promise<Server> {
  const worker = new Worker(THREAD);
  const ended = new Promise<void>(resolve => worker.once('exit', () => resolve()));
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('message', (port: number) => {
      resolve({
        port,
        close: () => {
          worker.postMessage('close');
          return ended;
        },
      });
    });
  });
}

/** Clients that ask and ask, and never take an answer. */
function openNonReaders(port: number): Socket[] {
  const request = writeRequest(new Random(1), readLarge);
  const many = Buffer.concat(Array.from({ length: NEVER_READ_ANSWERS }, () => request));
  return Array.from({ length: NON_READERS }, () => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    socket.pause();
    socket.write(many);
    return socket;
  });
}

const describeStream = ({ bytes, cuts, methods, echo }: Stream): string =>
  inspect(
    { bytes: bytes.toString('latin1'), cuts, methods, echo },
    { maxStringLength: 6_000, maxArrayLength: 400, breakLength: 110 },
  );

interface Found {
  readonly tally: Map<string, number>;
  failure: { readonly run: number; readonly text: string } | undefined;
}

async function sendAll(port: number, seed: number, first: number, runs: number): Promise<Found> {
  const bearer = await bearerToken();
  const found: Found = { tally: new Map(), failure: undefined };
  let next = first;
  const client = async (): Promise<void> => {
    while (next < first + runs && found.failure === undefined) {
      const run = next++;
      const stream = someStream(randomOf(seed, run), run, bearer);
      try {
        const statuses = await sendStream(port, stream);
        for (const status of statuses)
          found.tally.set(String(status), (found.tally.get(String(status)) ?? 0) + 1);
      } catch (error) {
        found.failure ??= {
          run,
          text: `${error instanceof Error ? error.stack : error}\n${describeStream(stream)}`,
        };
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  return found;
}

export const runSockets: Part = async ({ seed, first, runs }): Promise<PartReport> => {
  const server = await startServer();
  const requests = [createEchoTable, writeLarge];
  const bytes = Buffer.concat(requests.map(request => writeRequest(new Random(1), request)));
  await sendStream(server.port, { bytes, cuts: [], methods: ['POST', 'PUT'], echo: undefined });
  const nonReaders = openNonReaders(server.port);
  const { tally, failure } = await sendAll(server.port, seed, first, runs);
  for (const socket of nonReaders) socket.destroy();
  await server.close();
  if (!failure) return { isSound: true, text: describeTally(tally) };
  const repeat = repeatCommand('sockets', seed, failure.run, failure.run);
  return { isSound: false, text: `Seed ${seed}, stream ${failure.run}: ${failure.text}\n${repeat}` };
};
