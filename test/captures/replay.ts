// Replays recordings of the real service against a Shelfmark server on an empty store, and checks the shares of equal
// answers, which are the same for every engine. The store is a directory, or the one of support/stores.ts that
// SHELFMARK_TARGET names. With `--workers N` the server is the command, on a directory, with that many processes;
// without it one in this process. The recordings are not part of this repository: CAPTURES names their folder, with
// `tools/` next to it.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { serve } from '#server';
import type { Engines } from '#server/parts';
import { spawnServer } from '../support/spawned-server.js';
import { cassandra, lmdb, memory } from '../support/stores.js';

const captures = resolve(process.env.CAPTURES ?? '../shared/captures');
const program = resolve(captures, '../tools/replay.mjs');

/** Groups of recordings and the shares, in percent, below which a run fails. */
const GROUPS = [
  { group: 'tables-2017', functionalMin: 100, strictMin: 100 },
  { group: 'tables-2021', functionalMin: 100, strictMin: 100 },
  { group: 'queues', functionalMin: 100, strictMin: 100 },
  { group: 'blobs', functionalMin: 100, strictMin: 99.8 },
  { group: 'blobs-more', functionalMin: 100, strictMin: 100 },
] as const;

/** Recordings that no server can answer: their source had another type and length than the one that comes with them. */
const UNLIKE = 'test_append_block_from_url_with_source_if_match';

/**
 * Loaded before the program: no connection is used for a second request, so that each one reaches the next worker. The
 * bytes on the wire stay the same.
 */
const BY_TURNS = `data:text/javascript,${encodeURIComponent(`
  import http from 'node:http';
  const { Agent } = http;
  http.Agent = function (options) {
    return new Agent({ ...options, maxFreeSockets: 0 });
  };
`)}`;

/** The program's output; it exits with 1 if an answer differs, which the shares also show. */
function replay(group: string, subject: Subject): Promise<string> {
  const { tableEndpoint, queueEndpoint, blobEndpoint, isSpread } = subject;
  return new Promise((done, fail) => {
    const first = isSpread ? ['--import', BY_TURNS] : [];
    const endpoints = ['--table', tableEndpoint, '--queue', queueEndpoint, '--blob', blobEndpoint];
    const args = [...first, program, '--dir', join(captures, group), '--skip', UNLIKE, ...endpoints];
    const child = spawn(process.execPath, args);
    let printed = '';
    child.stdout.on('data', chunk => {
      printed += chunk;
    });
    child.stderr.on('data', chunk => {
      printed += chunk;
    });
    child.on('error', fail);
    child.on('close', () => done(printed));
  });
}

const share = (printed: string, name: string): number =>
  Number(new RegExp(`${name} \\d+ \\(([\\d.]+) %\\)(?![\\s\\S]*${name})`).exec(printed)?.[1] ?? Number.NaN);

interface Subject {
  readonly tableEndpoint: string;
  readonly queueEndpoint: string;
  readonly blobEndpoint: string;
  /** Over several processes. */
  readonly isSpread: boolean;
  close(): Promise<unknown>;
}

async function start(
  store: string,
  engines: Engines | undefined,
  workers: string | undefined,
): Promise<Subject> {
  if (workers === undefined) {
    const server = await serve({ store }, engines);
    const { table = '', queue = '', blob = '' } = server.endpoints;
    const endpoints = { tableEndpoint: table, queueEndpoint: queue, blobEndpoint: blob };
    return { ...endpoints, isSpread: false, close: () => server.close() };
  }
  const args = ['serve', '--store', store, '--table-port', '0', '--workers', workers];
  const { endpoint, connectionString, stop } = await spawnServer(args);
  const [, queueEndpoint = ''] = /QueueEndpoint=([^;]+)/.exec(connectionString) ?? [];
  const [, blobEndpoint = ''] = /BlobEndpoint=([^;]+)/.exec(connectionString) ?? [];
  const endpoints = { tableEndpoint: endpoint, queueEndpoint, blobEndpoint };
  return { ...endpoints, isSpread: true, close: () => stop('SIGTERM') };
}

async function run(workers: string | undefined): Promise<number> {
  const kind = [memory, cassandra].find(({ name }) => name === process.env.SHELFMARK_TARGET) ?? lmdb;
  const { store, discard } = await kind.open();
  const server = await start(store, kind.quick, workers);
  let failed = 0;
  for (const { group, functionalMin, strictMin } of GROUPS) {
    const printed = await replay(group, server);
    const [functional, strict] = [share(printed, 'functional'), share(printed, 'strict')];
    const passed = functional >= functionalMin && strict >= strictMin;
    if (!passed) failed++;
    process.stdout.write(
      `${passed ? '' : printed}${group}: functional ${functional} %, strict ${strict} %\n`,
    );
  }
  await server.close();
  await discard();
  process.stdout.write(`On ${kind.name}: ${GROUPS.length - failed} passed, ${failed} failed\n`);
  return failed;
}

const { workers } = parseArgs({ options: { workers: { type: 'string' } } }).values;
if (existsSync(program)) process.exit((await run(workers)) === 0 ? 0 : 1);
process.stdout.write(`No recordings at ${captures}: nothing was replayed.\n`);
