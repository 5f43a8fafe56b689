// Transfers of large blobs over plain sockets. Neither side keeps a body in memory: uploads send one piece again and again, downloads read into one buffer and count.
import { connect, type Socket } from 'node:net';
import type { Endpoint } from '../load/requests.js';
import { ResponseParser } from '../load/response-parser.js';
import * as requests from './blob-requests.js';

export interface TransferJob {
  readonly kind: 'upload' | 'download';
  readonly endpoint: Endpoint;
  readonly container: string;
  /** At once, each of a blob of its own. */
  readonly transfers: number;
  /** Length of each blob. */
  readonly bytes: number;
  /** Absent: the whole blob in one request. */
  readonly blockBytes?: number;
}

export interface TransferResult {
  readonly bytes: number;
  readonly milliseconds: number;
}

/** What a client gives its socket at a time. */
const SENT_BYTES = 256 * 1024;
const READ_BYTES = 256 * 1024;
const HEAD_END = '\r\n\r\n';
const HEAD_BYTES_MAX = 16_384;
const OK = /^HTTP\/1\.1 200 /;
const CONTENT_LENGTH = /\r\nContent-Length: (\d+)\r\n/i;

const transferName = (transfer: number): string => `large-${transfer}`;

const failsWith = (socket: Socket): Promise<never> =>
  new Promise((_, reject) => {
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('The server closed a connection.')));
  });

class Uploader {
  readonly #socket: Socket;
  readonly #failed: Promise<never>;
  readonly #parser = new ResponseParser();
  readonly #piece = Buffer.alloc(SENT_BYTES, 'content');
  #answered: (status: number) => void = () => undefined;

  constructor(port: number) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#failed = failsWith(this.#socket);
    this.#failed.catch(() => undefined);
    this.#socket.on('data', (chunk: Buffer) => {
      this.#parser.push(chunk);
      const response = this.#parser.next();
      if (response !== undefined) this.#answered(response.status);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  /** A request with a body of this many bytes, or with none after the text. */
  async put(request: string, bytes: number): Promise<void> {
    const answer = new Promise<number>(fulfil => {
      this.#answered = fulfil;
    });
    this.#socket.write(request);
    for (let left = bytes; left > 0; ) {
      const piece = left < SENT_BYTES ? this.#piece.subarray(0, left) : this.#piece;
      left -= piece.length;
      if (!this.#socket.write(piece)) await Promise.race([this.#drained(), this.#failed]);
    }
    const status = await Promise.race([answer, this.#failed]);
    if (status !== 201) throw new Error(`status ${status}`);
  }

  #drained(): Promise<void> {
    return new Promise(fulfil => this.#socket.once('drain', fulfil));
  }
}

async function upload(
  { endpoint, container, bytes, blockBytes }: TransferJob,
  uploader: Uploader,
  name: string,
): Promise<void> {
  if (blockBytes === undefined)
    return uploader.put(requests.putBlobHead(endpoint, container, name, bytes), bytes);
  const blocks = Math.ceil(bytes / blockBytes);
  for (let block = 0; block < blocks; block++) {
    const length = Math.min(blockBytes, bytes - block * blockBytes);
    await uploader.put(requests.putBlockHead(endpoint, container, name, block, length), length);
  }
  await uploader.put(requests.putBlockList(endpoint, container, name, blocks), 0);
}

/** Reads an answer of 200, and counts the bytes of its body. */
function download(
  { endpoint, container, bytes }: TransferJob,
  name: string,
  buffer: Uint8Array,
): Promise<void> {
  return new Promise((fulfil, reject) => {
    let head = '';
    let left = -1;
    const read = (count: number): boolean => {
      let body = count;
      if (left < 0) {
        head += Buffer.from(buffer.buffer, 0, count).toString('latin1');
        const end = head.indexOf(HEAD_END);
        if (end < 0) return head.length < HEAD_BYTES_MAX;
        const length = Number(CONTENT_LENGTH.exec(head.slice(0, end + 2))?.[1] ?? Number.NaN);
        if (!OK.test(head) || length !== bytes)
          socket.destroy(new Error(`no download: ${head.slice(0, 400)}`));
        body = head.length - end - HEAD_END.length;
        left = bytes;
      }
      left -= body;
      if (left > 0) return true;
      socket.destroy();
      if (left === 0) fulfil();
      return false;
    };
    const socket = connect({
      port: endpoint.port,
      host: '127.0.0.1',
      onread: { buffer, callback: read },
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error(`${left} bytes are missing.`)));
    socket.write(requests.getBlob(endpoint, container, name));
  });
}

async function uploadOn(job: TransferJob, transfer: number): Promise<void> {
  const uploader = new Uploader(job.endpoint.port);
  try {
    await upload(job, uploader, transferName(transfer));
  } finally {
    uploader.close();
  }
}

/** Runs all transfers to their ends. Rejects with the first failure. */
export async function runTransfers(job: TransferJob): Promise<TransferResult> {
  const { kind, transfers, bytes } = job;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: transfers }, (_, transfer) =>
      kind === 'upload'
        ? uploadOn(job, transfer)
        : download(job, transferName(transfer), new Uint8Array(READ_BYTES)),
    ),
  );
  return { bytes: transfers * bytes, milliseconds: performance.now() - start };
}
