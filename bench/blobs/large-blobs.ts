// Large blobs: downloads compared with bare node:http, durable uploads with node:fs, and the memory of a server with
// sixteen concurrent transfers.
import { closeSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { besideData } from '../machine/process-status.js';
import { ServerProcess } from '../subjects/server-process.js';
import { inTurn } from '../subjects/turn.js';
import {
  type BlobsOptions,
  byTurns,
  type Case,
  loadBlobs,
  type Rate,
  type Subject,
  sampled,
  transfer,
} from './ground.js';
import type { TransferJob } from './transfers.js';

const CONTAINER = 'large';
const MEGABYTE = 1_000_000;
/** The clients' defaults: 4 MiB, or 8. */
const BLOCK_BYTES = 4 * 1024 * 1024;
const BLOCK_TRANSFERS = 4;
/** The number in the goal for memory. */
const MEMORY_TRANSFERS = 16;
const MEMORY_EVERY_MILLISECONDS = 50;
/** The blob that is replaced, and more. */
const WARMED_TIMES = 3;
const SCRIPT = fileURLToPath(new URL('file-server-process.js', import.meta.url));
const READY = /^bare node:http sends a file at port (\d+)\n/m;

const createContainer = ({ blobs }: Subject): Promise<object> =>
  loadBlobs({
    work: 'create',
    endpoint: blobs,
    container: CONTAINER,
    clients: 1,
    count: 1,
    first: 0,
    rows: 100,
  });

/**
 * Allocates this much memory of the system's cache, and frees it: a virtual machine returns free memory to its host,
 * and the first to need it again pays some 2 ms per MB. That would be the server, which keeps its files, and seldom
 * node:fs, whose files were just removed.
 */
function warmMemory(directory: string, bytes: number): void {
  const path = join(directory, 'warm');
  const piece = Buffer.alloc(MEGABYTE);
  const file = openSync(path, 'w');
  for (let written = 0; written < bytes; written += piece.length) writeSync(file, piece);
  closeSync(file);
  rmSync(path);
}

type Way = Pick<TransferJob, 'kind' | 'transfers' | 'bytes'> & Partial<TransferJob>;

/** Pairs of ours and its reference, in turn. */
export async function measureTransfers(server: Subject, options: BlobsOptions): Promise<readonly Rate[]> {
  const { directory, megabytes } = options;
  const bytes = megabytes * MEGABYTE;
  await inTurn({ processes: [server.process] }, () => createContainer(server));
  const common = { endpoint: server.blobs, container: CONTAINER, directory: join(directory, 'written') };
  const megabytesOf = (result: { readonly bytes: number }): number => result.bytes / MEGABYTE;
  const ours = (name: string, way: Way): Case => ({
    name: `${name}, shelfmark`,
    run: () => sampled(server, () => transfer({ ...common, ...way }), megabytesOf),
  });
  const byFiles = (name: string, way: Way): Case => ({
    name: `${name}, node:fs`,
    run: async () => {
      const result = await transfer({ ...common, ...way });
      return { perSecond: megabytesOf(result) / (result.milliseconds / 1000), cost: Number.NaN };
    },
  });
  const path = join(directory, 'file');
  writeFileSync(path, Buffer.alloc(bytes, 'content'));
  const bare = await ServerProcess.start({ name: 'bare', script: SCRIPT, args: [path], ready: READY });
  const sent = { ...common, endpoint: { ...server.blobs, port: bare.port } };
  const byBare = (name: string, way: Way): Case => ({
    name: `${name}, bare node:http`,
    run: () => sampled({ process: bare }, () => transfer({ ...sent, ...way }), megabytesOf),
  });
  const whole = { transfers: 1, bytes } as const;
  const blocks = {
    transfers: BLOCK_TRANSFERS,
    bytes: bytes / BLOCK_TRANSFERS,
    blockBytes: BLOCK_BYTES,
  } as const;
  const warmed = (each: Case): Case => ({
    name: each.name,
    run: milliseconds => {
      warmMemory(directory, WARMED_TIMES * bytes);
      return each.run(milliseconds);
    },
  });
  const cases = [
    ours('upload at once', { kind: 'upload', ...whole }),
    byFiles('upload at once', { kind: 'write', ...whole }),
    byBare('upload at once', { kind: 'upload', ...whole }),
    ours('download', { kind: 'download', ...whole }),
    byBare('download', { kind: 'download', ...whole }),
    // The download's blob is another one.
    ours('upload in blocks', { kind: 'upload', container: CONTAINER, ...blocks }),
    byFiles('upload in blocks', { kind: 'write', ...blocks }),
    byBare('upload in blocks', { kind: 'upload', ...blocks }),
  ];
  const rates = await byTurns(options, cases.map(warmed));
  await bare.stop();
  return rates;
}

export interface MemoryUse {
  readonly name: string;
  /** Bytes other than the mapped data, before and at most. Zeros where the system does not report them. */
  readonly before: number;
  readonly highest: number;
  readonly megabytesPerSecond: number;
}

async function memoryOf(server: Subject, name: string, job: TransferJob): Promise<MemoryUse> {
  const look = (): number => {
    const memory = server.process.memory();
    return memory === undefined ? 0 : besideData(memory);
  };
  const before = look();
  let highest = before;
  const timer = setInterval(() => {
    highest = Math.max(highest, look());
  }, MEMORY_EVERY_MILLISECONDS);
  try {
    const { bytes, milliseconds } = await transfer(job);
    highest = Math.max(highest, look());
    return { name, before, highest, megabytesPerSecond: bytes / MEGABYTE / (milliseconds / 1000) };
  } finally {
    clearInterval(timer);
  }
}

/** On freshly started servers, since a server's memory does not shrink. `start` starts one on the same data each time. */
export async function measureMemory(
  start: () => Promise<Subject>,
  { directory, megabytes, say }: BlobsOptions,
): Promise<readonly MemoryUse[]> {
  const uses: MemoryUse[] = [];
  for (const kind of ['upload', 'download'] as const) {
    const server = await start();
    if (kind === 'upload') await createContainer(server);
    const use = await memoryOf(server, `${MEMORY_TRANSFERS} ${kind}s at once`, {
      kind,
      endpoint: server.blobs,
      container: CONTAINER,
      directory,
      transfers: MEMORY_TRANSFERS,
      bytes: megabytes * MEGABYTE,
      blockBytes: BLOCK_BYTES,
    });
    say(`${use.name}: ${Math.round((use.highest - use.before) / MEGABYTE)} MB more`);
    uses.push(use);
    await server.process.stop();
  }
  return uses;
}
