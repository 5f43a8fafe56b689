// Runs killed-process.ts, and judges the result: each blob is the outcome of the answered steps, or of the next step
// too, which was in progress; after a sweep the rows name all existing contents, and no others.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '#base/testing/until';
import { BlobError } from '#blobs';
import type { Engine } from '#store';
import { checkFile, openLmdbStore } from '#store-lmdb';
import { inspection } from '../../packages/cli/store-task/inspection.js';
import { afterStep, CONTAINER, EMPTY, type Model, showModel, showStore } from './blob-model.js';
import { contextOn, deleteBlobs, makeContainer, sweepBlobs } from './blob-operation.js';
import { type NamedContents, namedContents } from './content-faults.js';
import { type Setting, stepsOf } from './every-operation.js';
import type { PlantedFault } from './killed-process.js';

export interface Killed {
  /** Number of answered steps. */
  readonly answered: number;
  /** The names of all moments, if the process came to its end. */
  readonly moments: readonly string[] | undefined;
}

const PROCESS = fileURLToPath(new URL('killed-process.js', import.meta.url));

/** Moments count from 1; 0 is none. */
export async function runUntil(
  directory: string,
  setting: Setting,
  moment: number,
  fault?: PlantedFault,
): Promise<Killed> {
  const args = [PROCESS, directory, setting, String(moment), ...(fault === undefined ? [] : [fault])];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', text => {
    said += text;
  });
  const [code, signal] = await once(child, 'close');
  assert(signal === 'SIGKILL' || code === 0, `It ended with ${code ?? signal}: ${said}`);
  const lines = said.split('\n');
  const names = lines.filter(line => line.startsWith('moment ')).map(line => line.slice('moment '.length));
  const answered = lines.filter(line => line === 'answered').length;
  return { answered, moments: signal === 'SIGKILL' ? undefined : names };
}

/** Before the first step, and after each. */
function modelsOf(setting: Setting): readonly Model[] {
  const models = [EMPTY];
  for (const step of stepsOf(setting)) {
    const next = afterStep(models.at(-1) ?? EMPTY, step);
    assert(next !== undefined, `${step.kind} has to be possible.`);
    models.push(next);
  }
  return models;
}

const models = new Map<Setting, readonly Model[]>();

interface Judging {
  readonly setting: Setting;
  readonly isSwept: boolean;
}

/** Fails with what is wrong. */
export async function judge(
  directory: string,
  { answered }: Killed,
  { setting, isSwept }: Judging,
): Promise<void> {
  const engine = await openLmdbStore({ directory, durability: 'none', exclusive: true });
  const context = contextOn(engine);
  try {
    const { findings } = await checkFile(join(directory, 'data.mdb'), inspection);
    assert.deepEqual(findings, []);
    if (stepsOf(setting)[answered]?.kind === 'dropContainer') await makeContainer(context).catch(isThere);
    const shown = await showStore(context);
    const all = models.get(setting) ?? modelsOf(setting);
    models.set(setting, all);
    const possible = all.slice(answered, answered + 2).map(showModel);
    const isOne = possible.some(each => JSON.stringify(each) === JSON.stringify(shown));
    if (!isOne) assert.deepEqual(shown, possible.at(-1), `after ${answered} answers`);
    if (isSwept) await sweepBlobs(context);
    assert.deepEqual((await contentsOf(engine, directory)).faults, []);
    assert.deepEqual(await showStore(context), shown, 'The sweep changes nothing.');
    await deleteBlobs(context);
    const { named, faults } = await contentsOf(engine, directory);
    assert.deepEqual([...named, ...faults], []);
  } finally {
    await engine.close();
  }
}

/** The container was not dropped yet, or was created again. */
function isThere(error: unknown): void {
  if (!(error instanceof BlobError) || error.code !== 'ContainerAlreadyExists') throw error;
}

/** Those of dropped containers are removed in the background. */
async function untilOnly(space: string, contents: string): Promise<void> {
  const others = () => readdirSync(contents).filter(name => /^\d+$/.test(name) && name !== space);
  await until('the contents of dropped containers go', () => others().length === 0);
}

async function contentsOf(engine: Engine, directory: string): Promise<NamedContents> {
  const space = await engine.getSpace({ account: 'account1', service: 'blob', name: CONTAINER });
  assert(space !== undefined);
  const contents = join(directory, 'contents');
  const path = join(contents, String(space.id));
  if (existsSync(contents)) await untilOnly(String(space.id), contents);
  const there = new Set(existsSync(path) ? readdirSync(path) : []);
  return namedContents(engine, space, there, id => readFileSync(join(path, id)));
}
