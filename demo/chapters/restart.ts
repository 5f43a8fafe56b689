// Stops the server, starts another on the same directory, and compares all stored data.
import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type RunningServer, serve } from 'shelfmark';
import { count, formatBytes, formatDuration, formatNumber, type Report } from '../stage/report.js';
import { openStage, type Stage } from '../stage/stage.js';
import { type Fingerprint, fingerprint } from './fingerprint.js';

/** Printed characters of the digest; the comparison uses all of it. */
const DIGEST_SHOWN = 12;

const print = (report: Report, label: string, table: string, { rows, digest }: Fingerprint): void =>
  report.fact(
    label,
    `${table.padEnd(8)}  ${formatNumber(rows)} rows, SHA-256 ${digest.slice(0, DIGEST_SHOWN)}`,
  );

async function describeFiles(directory: string): Promise<string> {
  const names = (await readdir(directory)).sort();
  const sizes = await Promise.all(names.map(async name => (await stat(join(directory, name))).size));
  return names.map((name, index) => `${name} (${formatBytes(sizes[index] ?? 0)})`).join(', ');
}

/** Resolves to the second server, which the caller closes. */
export async function restart(first: RunningServer, stage: Stage, directory: string): Promise<RunningServer> {
  const { report, airports, movies } = stage;
  const sets = { airports: airports.dataset, movies: movies.dataset };
  report.chapter('Stop, start, and look again', 'the same directory, another server');
  const before = [await fingerprint(airports.client), await fingerprint(movies.client)] as const;
  print(report, 'before', 'airports', before[0]);
  print(report, '', 'movies', before[1]);

  const stopping = performance.now();
  await first.close();
  report.fact(
    'stopped',
    `in ${formatDuration(performance.now() - stopping)}; on disk: ${await describeFiles(directory)}`,
  );
  await assert.rejects(fetch(first.tableEndpoint), 'Nobody answers at the old address.');

  const starting = performance.now();
  const second = await serve({ data: directory });
  report.fact('started', `in ${formatDuration(performance.now() - starting)}, at ${second.tableEndpoint}`);
  try {
    const { airports, movies } = openStage(second, report, sets);
    const after = [await fingerprint(airports.client), await fingerprint(movies.client)] as const;
    print(report, 'after', 'airports', after[0]);
    print(report, '', 'movies', after[1]);
    assert.deepEqual(after, before);
    const film = await movies.client.getEntity('thriller-suspense', '2006_untitled');
    assert.equal(film.Title, 'Unknown');
    const rows = count(after[0].rows + after[1].rows, 'entity', 'entities');
    report.fact('result', `${rows}, every one as it was to its ETag, the corrected film among them`);
    return second;
  } catch (error) {
    await second.close();
    throw error;
  }
}
