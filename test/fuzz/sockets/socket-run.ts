// The part over real sockets: streams of requests to a whole server, many at a time, while other clients never read. On
// the embedded engine, so that requests reach the disk.
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { type RunningServer, serve } from '#server';
import { NOW } from '../credentials.js';
import { bearerToken } from '../direct/direct-run.js';
import type { World } from '../run/part.js';
import { sendStream } from './send-stream.js';
import { createEchoTable, readLarge, type Stream, streams, writeLarge } from './some-stream.js';
import { writeRequest } from './write-request.js';

const AT_ONCE = 24;
const NON_READERS = 16;
/** Their answers exceed the buffers of any socket. */
const NEVER_READ_ANSWERS = 1_000;

/** Clients that keep sending requests, and never read an answer. */
function openNonReaders(port: number): Socket[] {
  const many = Buffer.from(writeRequest(readLarge).repeat(NEVER_READ_ANSWERS), 'latin1');
  return Array.from({ length: NON_READERS }, () => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    socket.pause();
    socket.write(many);
    return socket;
  });
}

export class SocketRun implements World<readonly Stream[]> {
  readonly #server: RunningServer;
  readonly #directory: string;
  readonly #nonReaders: readonly Socket[];
  readonly #cases: fc.Arbitrary<readonly Stream[]>;

  private constructor(server: RunningServer, directory: string, bearer: string) {
    this.#server = server;
    this.#directory = directory;
    this.#nonReaders = openNonReaders(server.tablePort);
    this.#cases = fc.tuple(...Array.from({ length: AT_ONCE }, (_, place) => streams(bearer, place)));
  }

  static async open(): Promise<SocketRun> {
    const data = mkdtempSync(join(tmpdir(), 'shelfmark-fuzz-'));
    const server = await serve({ data, durability: 'none', logLevel: 'silent', clock: () => NOW });
    const bytes = [createEchoTable, writeLarge].map(request => writeRequest(request)).join('');
    await sendStream(server.tablePort, { bytes, cuts: [], methods: ['POST', 'PUT'], echo: undefined });
    return new SocketRun(server, data, await bearerToken());
  }

  async reset(): Promise<fc.Arbitrary<readonly Stream[]>> {
    return this.#cases;
  }

  async make(all: readonly Stream[]): Promise<readonly string[]> {
    const sent = all.map(async (stream, at) => {
      try {
        return await sendStream(this.#server.tablePort, stream);
      } catch (error) {
        throw new Error(`Stream ${at} of these: ${error instanceof Error ? error.stack : error}`);
      }
    });
    return (await Promise.all(sent)).flat().map(String);
  }

  async close(): Promise<void> {
    for (const socket of this.#nonReaders) socket.destroy();
    await this.#server.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
