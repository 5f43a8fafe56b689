// Runs a job by wrk, if it is installed: one thread, and a script in Lua that renders the requests.
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Job, type JobResult, type RequestKind, WrongAnswer } from './job.js';
import { GROUP_ROWS, MEMBERS, PARTITION_ROWS, type Part, RANKS, type Slot, STRIDE } from './template.js';

const execute = promisify(execFile);
const TIMEOUT_SECONDS = 20;
const OUTPUT_BYTES_MAX = 1 << 20;

/** As `wrk 4.1.0`; undefined if it is missing. */
export function wrkVersion(): string | undefined {
  // It has no option for its version that exits with 0; it prints the text anyway.
  const { stdout, error } = spawnSync('wrk', ['--version'], { encoding: 'utf8' });
  return error ? undefined : /^wrk \S+/.exec(stdout)?.[0];
}

/** wrk runs for whole seconds. */
export const isForWrk = ({ milliseconds = 0, count }: Job): boolean =>
  count === undefined && milliseconds > 0 && milliseconds % 1000 === 0;

/** The twin of `slotValue` in Lua, of the locals `sequence` and `row`. */
function slotExpression({ kind, offset }: Slot): string {
  const member = `(sequence * ${MEMBERS} + ${offset})`;
  const expressions: Readonly<Record<Slot['kind'], string>> = {
    row: 'row',
    partition: `floor(row / ${PARTITION_ROWS})`,
    rank: `${RANKS} + row % ${RANKS}`,
    group: `row - row % ${GROUP_ROWS}`,
    groupEnd: `row - row % ${GROUP_ROWS} + ${GROUP_ROWS}`,
    unique: 'sequence',
    member,
    memberPartition: `floor(${member} / ${PARTITION_ROWS})`,
    memberRank: `${RANKS} + ${member} % ${RANKS}`,
    anyPartition: 'sequence % partitions',
  };
  return expressions[kind];
}

/** A Lua literal: every byte with a special meaning is written as a number. */
const quote = (text: string): string =>
  `"${text.replace(/[^ !#-[\]-~]/g, byte => `\\${String(byte.charCodeAt(0)).padStart(3, '0')}`)}"`;

const partExpression = (part: Part): string =>
  typeof part === 'string' ? quote(part) : `format("%0${part.digits}d", ${slotExpression(part)})`;

const scriptOf = (
  job: Job,
  { parts }: RequestKind,
): string => `local floor, format = math.floor, string.format
local rows, partitions, first = ${job.rows}, ${Math.max(1, Math.floor(job.rows / PARTITION_ROWS))}, ${job.first}
-- wrk makes one request before it begins, to learn its form, and never sends it.
upcoming = first - 1
function request()
  local sequence = upcoming
  upcoming = upcoming + 1
  local row = (sequence * ${STRIDE}) % rows
  return table.concat({ ${parts.map(partExpression).join(', ')} })
end
local threads = {}
function setup(thread) table.insert(threads, thread) end
function done(summary, latency)
  local errors = summary.errors
  local function milliseconds(percent) return latency:percentile(percent) / 1000 end
  print(format('{"completed":%d,"used":%d,"milliseconds":%.3f,"failed":%d,' ..
    '"latency":{"p50":%.3f,"p99":%.3f,"p999":%.3f,"max":%.3f}}',
    summary.requests, threads[1]:get("upcoming") - first, summary.duration / 1000,
    errors.connect + errors.read + errors.write + errors.timeout + errors.status,
    milliseconds(50), milliseconds(99), milliseconds(99.9), latency.max / 1000))
end
`;

/**
 * Requests that wrk had sent and that were unanswered when its time was up may be done or not: `used` can be ahead of
 * `completed` by the number of connections.
 */
export async function runWrk(job: Job, kind: RequestKind): Promise<JobResult> {
  const directory = mkdtempSync(join(tmpdir(), 'bench-wrk-'));
  const script = join(directory, 'job.lua');
  try {
    writeFileSync(script, scriptOf(job, kind));
    const args = [
      ...['--threads=1', `--connections=${job.connections}`, `--timeout=${TIMEOUT_SECONDS}s`],
      ...[`--duration=${(job.milliseconds ?? 0) / 1000}s`, `--script=${script}`],
      `http://127.0.0.1:${job.port}`,
    ];
    const { stdout } = await execute('wrk', args, { maxBuffer: OUTPUT_BYTES_MAX });
    const line = stdout.split('\n').find(text => text.startsWith('{"completed":'));
    if (line === undefined) throw new Error(`wrk printed no result:\n${stdout}`);
    const { failed, ...result }: JobResult & { readonly failed: number } = JSON.parse(line);
    if (failed > 0) throw new WrongAnswer(`wrk counts ${failed} failures`);
    return result;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
