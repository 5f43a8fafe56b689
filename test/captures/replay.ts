// Replays recordings of the real service against a server of ours on an empty directory, and holds the shares of answers
// that are alike. The recordings are not part of this repository: CAPTURES names their folder, with `tools/` beside it.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { serve } from 'shelfmark';

const captures = resolve(process.env.CAPTURES ?? '../shared/captures');
const program = resolve(captures, '../tools/replay.mjs');

/** Groups of recordings and the shares, in percent, below which a run fails. */
const GROUPS = [
  { group: 'tables-2017', functionalMin: 100, strictMin: 98 },
  { group: 'tables-2021', functionalMin: 100, strictMin: 98 },
] as const;

/** What the program prints; it exits with 1 if an answer differs, which the shares say too. */
function replay(group: string, endpoint: string): Promise<string> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [program, '--dir', join(captures, group), '--table', endpoint]);
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

async function run(): Promise<number> {
  const data = mkdtempSync(join(tmpdir(), 'shelfmark-captures-'));
  const server = await serve({ data });
  let failed = 0;
  for (const { group, functionalMin, strictMin } of GROUPS) {
    const printed = await replay(group, server.tableEndpoint);
    const [functional, strict] = [share(printed, 'functional'), share(printed, 'strict')];
    const passed = functional >= functionalMin && strict >= strictMin;
    if (!passed) failed++;
    process.stdout.write(
      `${passed ? '' : printed}${group}: functional ${functional} %, strict ${strict} %\n`,
    );
  }
  await server.close();
  rmSync(data, { recursive: true });
  process.stdout.write(`${GROUPS.length - failed} passed, ${failed} failed\n`);
  return failed;
}

if (existsSync(program)) process.exit((await run()) === 0 ? 0 : 1);
process.stdout.write(`No recordings at ${captures}: nothing was replayed.\n`);
