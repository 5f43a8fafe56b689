// `npm run demo`: a server, real data through the official client, the queries of the table design guide, a restart.
// Each step checks what it prints; the first failed check ends the demo with an error.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningServer, serve } from 'shelfmark';
import { CHAPTERS } from './chapters.js';
import { readFilms } from './films.js';
import { formatNumber, Stage } from './stage.js';

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** Every entity with its ETag and Timestamp, in order. */
async function contentsOf({ client }: Stage): Promise<readonly object[]> {
  const rows: object[] = [];
  for await (const entity of client.listEntities()) rows.push(entity);
  return rows;
}

/** Resolves to a second server on the same directory, which the caller closes. */
async function restart(first: RunningServer, stage: Stage, directory: string): Promise<RunningServer> {
  say('Stop, start, and look again: the same directory, another server');
  const before = await contentsOf(stage);
  await first.close();
  const second = await serve({ data: directory });
  const after = new Stage(second, stage.films, say);
  assert.deepEqual(await contentsOf(after), before);
  after.tell(`${formatNumber(before.length)} films, every one as it was to its ETag`);
  return second;
}

const directory = await mkdtemp(join(tmpdir(), 'shelfmark-demo-'));
let server = await serve({ data: directory });
try {
  say(`A server at ${server.tableEndpoint}, data in ${directory}`);
  const stage = new Stage(server, await readFilms(), say);
  for (const chapter of CHAPTERS) await chapter(stage);
  server = await restart(server, stage, directory);
} finally {
  await server.close();
  await rm(directory, { recursive: true, force: true });
}
say('All of it holds.');
