// Runs a job by wrk, if it is installed: one thread, as for the goals. wrk-script.ts generates its script.
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { decodeJobResult, type Job, type JobResult } from './job.js';
import { RESULT_MARK, wrkScript } from './wrk-script.js';

const execute = promisify(execFile);
const TIMEOUT_SECONDS = 20;
const OUTPUT_BYTES_MAX = 1 << 20;

/** As `wrk 4.1.0`; undefined if it is missing. */
export function wrkVersion(): string | undefined {
  // It has no option for its version that exits with 0; it prints the text anyway.
  const { stdout, error } = spawnSync('wrk', ['--version'], { encoding: 'utf8' });
  return error ? undefined : /^wrk \S+/.exec(stdout)?.[0];
}

/** wrk sends one kind of request as fast as it can, for whole seconds; everything else is the built-in generator's. */
export function isForWrk({ requests, milliseconds = 0, count, perSecond }: Job): boolean {
  const kinds = ['empty', 'entity', 'range', 'batch', 'bytes'];
  return (
    milliseconds > 0 &&
    milliseconds % 1000 === 0 &&
    count === undefined &&
    perSecond === undefined &&
    requests.length === 1 &&
    requests.every(({ check }) => kinds.includes(check.kind))
  );
}

function decodeOutput(stdout: string): JobResult {
  const line = stdout.split('\n').find(text => text.startsWith(RESULT_MARK));
  if (line === undefined) throw new Error(`wrk told nothing:\n${stdout}`);
  const result = decodeJobResult({ ...JSON.parse(line.slice(RESULT_MARK.length)), absent: 0 });
  return { ...result, complaint: result.complaint || undefined };
}

/**
 * Requests that wrk had sent and that were unanswered when its time was up may be done or not: `used` can be ahead of
 * `completed` by the number of connections.
 */
export async function runWrk(job: Job): Promise<JobResult> {
  const [kind] = job.requests;
  if (kind === undefined) throw new Error('A job without requests.');
  const directory = mkdtempSync(join(tmpdir(), 'bench-wrk-'));
  const script = join(directory, 'job.lua');
  try {
    writeFileSync(script, wrkScript(job, kind));
    const args = [
      '--threads=1',
      `--connections=${job.connections}`,
      `--duration=${(job.milliseconds ?? 0) / 1000}s`,
      `--timeout=${TIMEOUT_SECONDS}s`,
      `--script=${script}`,
      `http://127.0.0.1:${job.port}`,
    ];
    const { stdout } = await execute('wrk', args, { maxBuffer: OUTPUT_BYTES_MAX });
    return decodeOutput(stdout);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
