// The ways to kill a server under load, all by SIGKILL.
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '#base/testing/until';
import type { Occasion, Trigger } from '../histories/trigger.js';
import { below, between, chance, type Draw, some, weighted } from '../random/arbitrary.js';
import type { SpawnedServer } from '../support/spawned-server.js';
import { childrenOf, isAlive } from '../support/worker-processes.js';

const WRITING_MILLISECONDS_MAX = 300;
/** Workers that die before the last blow. */
const WORKER_DEATHS_MAX = 2;
/** Answers that must come after a worker's death. */
const PROGRESS = 20;

/** The server leads a group of its own. Resolves when none of its processes is left. */
export async function killServer(server: SpawnedServer, trigger: Trigger, draw: Draw): Promise<void> {
  const isGroup = childrenOf(server.pid).length > 0;
  if (isGroup) {
    for (let deaths = draw(between(0, WORKER_DEATHS_MAX)); deaths > 0; deaths -= 1)
      await killWorkers(server, trigger, draw);
  }
  await sleep(draw(below(WRITING_MILLISECONDS_MAX)));
  const pids = [server.pid, ...childrenOf(server.pid)];
  const isPrimaryOnly = isGroup && draw(chance(30));
  await strike(trigger, draw, () => process.kill(isPrimaryOnly ? server.pid : -server.pid, 'SIGKILL'));
  await until('all processes are gone', () => !pids.some(isAlive) && !isGroupAlive(server.pid));
}

/** One worker or all of them; the others and their replacements continue. */
async function killWorkers(server: SpawnedServer, trigger: Trigger, draw: Draw): Promise<void> {
  await sleep(draw(below(WRITING_MILLISECONDS_MAX)));
  const living = childrenOf(server.pid);
  const victims = draw(chance(25)) ? living : draw(some(living, 1));
  await strike(trigger, draw, () => {
    for (const pid of victims) process.kill(pid, 'SIGKILL');
  });
  const enough = trigger.count + PROGRESS;
  const what = `others write after ${victims.length} of ${living.length} workers died`;
  await until(what, () => trigger.count >= enough);
}

/** Now, or at the next request or answer. */
async function strike(trigger: Trigger, draw: Draw, kill: () => void): Promise<void> {
  const occasion = draw(weighted<Occasion | 'now'>([1, 'now'], [1, 'asked'], [3, 'answered']));
  if (occasion === 'now') return kill();
  let isDone = false;
  trigger.at(occasion, () => {
    isDone = true;
    kill();
  });
  await until('somebody writes', () => isDone);
}

/** The replacement of a worker may have no known parent. */
export function isGroupAlive(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}
