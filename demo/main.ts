// `npm run demo`: a server, real data, the queries of the table design guide, a restart. Each step checks what it
// prints; the first failed check ends the demo with an error. data/ reads the source files, stage/ has the client and
// the output, chapters/ the chapters.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from 'shelfmark';
import { etagConflict } from './chapters/etag-conflict.js';
import { loadAirports } from './chapters/load-airports.js';
import { loadMovies } from './chapters/load-movies.js';
import { mergeReplace } from './chapters/merge-replace.js';
import { paging } from './chapters/paging.js';
import { projection } from './chapters/projection.js';
import { partitionScan, pointQuery, rangeQuery, tableScan } from './chapters/queries.js';
import { restart } from './chapters/restart.js';
import { decodeAirports } from './data/airports.js';
import { readDatasetFile } from './data/dataset.js';
import { decodeMovies } from './data/movies.js';
import { formatDuration, Report } from './stage/report.js';
import { openStage } from './stage/stage.js';

const CHAPTERS = [
  loadAirports,
  loadMovies,
  pointQuery,
  rangeQuery,
  partitionScan,
  tableScan,
  projection,
  paging,
  etagConflict,
  mergeReplace,
];

const report = new Report(line => process.stdout.write(`${line}\n`));

async function run(directory: string): Promise<void> {
  const airports = decodeAirports(await readDatasetFile('airports.csv'));
  const movies = decodeMovies(await readDatasetFile('movies.json'));

  report.chapter('Start a server', "import { serve } from 'shelfmark'");
  const starting = performance.now();
  let server = await serve({ data: directory });
  try {
    report.fact('started', `in ${formatDuration(performance.now() - starting)}, on a port that was free`);
    report.fact('endpoint', server.tableEndpoint);
    report.fact('data', `${directory}, new, removed at the end`);
    const stage = openStage(server, report, { airports, movies });
    for (const chapter of CHAPTERS) await chapter(stage);
    server = await restart(server, stage, directory);
  } finally {
    await server.close();
  }
}

report.title('Shelfmark: a table server, real data, and the queries of the table design guide');
report.say('');
report.say(
  "The client is Microsoft's own, @azure/data-tables, as anyone uses it. Every answer is compared with the same question put to the source file in plain JavaScript; the first difference ends the demo with an error. 'sent' is the request as it left the client, less the endpoint's origin; 'served' is the status, what came back, the number of requests, the bytes of their answers, and the time on the wire.",
);
const began = performance.now();
const directory = await mkdtemp(join(tmpdir(), 'shelfmark-demo-'));
try {
  await run(directory);
} finally {
  await rm(directory, { recursive: true, force: true });
}
report.say('');
report.say(`All of it holds. ${formatDuration(performance.now() - began)} in all; ${directory} is removed.`);
