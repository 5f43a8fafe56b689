// Files and directories of a run: given their names when they are complete, and locked, so that one
// run at a time uses a directory or a journal. The lock is a file that names its process; the lock of a process that is
// gone, or whose pid another process now has, is replaced.
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { systemCodeOf, ToolError } from '../source/tool-error.js';
import { leaveName, takeName } from './take-name.js';

export function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * With its parents, one at a time: Node's recursive `mkdir` never ends where a file system answers ENOENT below an
 * existing directory, as /proc does. It survives a power cut. Fails with the system's error.
 */
export function makeDirectory(path: string, mode?: number): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT' || existsSync(dirname(path))) throw error;
    makeDirectory(dirname(path), mode);
    mkdirSync(path, { mode });
  }
  syncFile(dirname(path));
}

/** Gives a complete file its name. */
export function install(from: string, to: string): void {
  syncFile(from);
  renameSync(from, to);
  syncFile(dirname(to));
}

export function installText(path: string, text: string, workPath = `${path}.partial`): void {
  writeFileSync(workPath, text);
  install(workPath, path);
}

interface Owner {
  readonly pid: number;
  /** When it started, in the system's own units: pids are reused. */
  readonly started: string;
}

/** Index among the fields after the program's name in /proc/PID/stat. */
const START_FIELD = 19;

function startOf(pid: number): string {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[START_FIELD] ?? '';
  } catch {
    return '';
  }
}

function isAlive({ pid, started }: Owner): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return systemCodeOf(error) === 'EPERM';
  }
  return startOf(pid) === started;
}

/** Undefined if it is gone. */
function livingOwner(path: string): Owner | undefined {
  try {
    const owner = JSON.parse(readFileSync(path, 'utf8')) as Owner;
    return isAlive(owner) ? owner : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Takes the lock; returns a function that releases it.
 *
 * @throws ToolError conflict, while another process has it.
 */
export async function takeLock(path: string, what: string): Promise<() => void> {
  makeDirectory(dirname(path));
  const owner: Owner = { pid: process.pid, started: startOf(process.pid) };
  const own = `${path}.${randomUUID()}`;
  writeFileSync(own, JSON.stringify(owner));
  try {
    const taken = await takeName(own, path, livingOwner);
    if (taken === 'taken') return () => leaveName(path);
    const by = taken === 'busy' ? '' : ` by process ${taken.owner.pid}`;
    throw new ToolError('conflict', `${what} is in use${by}.`);
  } finally {
    leaveName(own);
  }
}
