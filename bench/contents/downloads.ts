// Downloads over a socket: node:http sends a file itself, or what the store reads. The client is another thread.
import { createReadStream, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, get, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { inParallel, newStore, type Rival, type Work } from './uploads.js';

interface Order {
  readonly port: number;
  readonly size: number;
  readonly count: number;
  readonly parallel: number;
}

function fetchAll({ port, size, count, parallel }: Order): Promise<void> {
  const one = () =>
    new Promise<void>((fulfil, reject) => {
      get({ port, host: '127.0.0.1', agent: false }, response => {
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
        });
        response.on('end', () => (bytes === size ? fulfil() : reject(new Error(`${bytes} of ${size}`))));
      }).on('error', reject);
    });
  return inParallel(count, parallel, one);
}

class Client {
  readonly #worker = new Worker(new URL(import.meta.url));

  fetch(order: Order): Promise<void> {
    return new Promise((fulfil, reject) => {
      this.#worker.once('message', (failure: string) =>
        failure === '' ? fulfil() : reject(new Error(failure)),
      );
      this.#worker.postMessage(order);
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

async function served(
  by: string,
  work: Work,
  send: (response: ServerResponse) => Promise<void>,
): Promise<Rival> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Length': work.size });
    send(response).catch(error => response.destroy(error));
  });
  await new Promise<void>(ready => {
    server.listen(0, '127.0.0.1', ready);
  });
  const { port } = server.address() as AddressInfo;
  const client = new Client();
  return {
    by,
    run: () => client.fetch({ port, size: work.size, count: work.count, parallel: work.parallel }),
    close: async () => {
      await client.close();
      server.close();
    },
  };
}

export async function downloads(work: Work): Promise<Rival[]> {
  const directory = mkdtempSync(join(work.directory, 'store-'));
  const { store, space } = await newStore(directory);
  const writer = await store.content.create(space);
  const bytes = Buffer.alloc(work.size, 'content');
  await writer.write(bytes);
  await writer.finish();
  const path = join(directory, 'file');
  writeFileSync(path, bytes);
  const files = await served('node:http and node:fs', work, response =>
    pipeline(createReadStream(path), response),
  );
  const contents = await served('node:http and contents', work, async response => {
    for await (const piece of store.content.read(space, writer.id, 0, work.size)) {
      if (response.write(piece)) continue;
      await new Promise<void>(drained => {
        response.once('drain', drained);
      });
    }
    response.end();
  });
  return [
    files,
    {
      ...contents,
      close: async () => {
        await contents.close?.();
        await store.close();
      },
    },
  ];
}

if (!isMainThread) {
  parentPort?.on('message', (order: Order) => {
    fetchAll(order).then(
      () => parentPort?.postMessage(''),
      (error: unknown) => parentPort?.postMessage(String(error)),
    );
  });
}
