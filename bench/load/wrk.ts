// Sends requests of one kind by wrk, if it is installed: one thread, and a script in Lua that fills the gaps.
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Gap, partsOf, STRIDE } from './gaps.js';
import type { Job, Load } from './generate.js';
import { type Request, wireText } from './request.js';

const execute = promisify(execFile);
const TIMEOUT_SECONDS = 20;

export const hasWrk = (): boolean => spawnSync('wrk', ['--version']).error === undefined;

/** A Lua literal: every byte with a special meaning is written as a number. */
const quote = (text: string): string =>
  `"${text.replace(/[^ !#-[\]-~]/g, byte => `\\${String(byte.charCodeAt(0)).padStart(3, '0')}`)}"`;

const expressionOf = (part: string | Gap): string =>
  typeof part === 'string' ? quote(part) : `format("%0${part.digits}d", ${part.expression})`;

const scriptOf = ({ rows, first }: Job, request: Request): string => `
local floor, format = math.floor, string.format
-- wrk makes one request before it begins, to learn its form, and never sends it.
upcoming = ${first - 1}
function request()
  local sequence = upcoming
  upcoming = upcoming + 1
  local row = (sequence * ${STRIDE}) % ${rows}
  return table.concat({ ${partsOf(wireText(request)).map(expressionOf).join(', ')} })
end
local threads = {}
function setup(thread) table.insert(threads, thread) end
function done(summary, latency)
  local errors = summary.errors
  print(format('{"completed":%d,"used":%d,"milliseconds":%.3f,"failed":%d,"latency":{"p50":%.3f,"p99":%.3f}}',
    summary.requests, threads[1]:get("upcoming") - ${first}, summary.duration / 1000,
    errors.connect + errors.read + errors.write + errors.timeout + errors.status,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
`;

/**
 * Requests that wrk had sent and that were unanswered when its time was up may be done or not: `used` can be ahead of
 * `completed` by the number of connections.
 */
export async function runWrk(job: Job, request: Request): Promise<Load> {
  const directory = mkdtempSync(join(tmpdir(), 'bench-wrk-'));
  const script = join(directory, 'job.lua');
  try {
    writeFileSync(script, scriptOf(job, request));
    const args = [`--connections=${job.connections}`, `--duration=${job.seconds}s`, `--script=${script}`];
    const { stdout } = await execute('wrk', [
      ...['--threads=1', `--timeout=${TIMEOUT_SECONDS}s`],
      ...args,
      `http://127.0.0.1:${job.port}`,
    ]);
    const line = stdout.split('\n').find(text => text.startsWith('{"completed":'));
    if (line === undefined) throw new Error(`wrk printed no result:\n${stdout}`);
    const { failed, ...load }: Load & { readonly failed: number } = JSON.parse(line);
    if (failed > 0) throw new Error(`wrk counts ${failed} failures`);
    return load;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
