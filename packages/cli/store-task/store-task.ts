// Runs a task on the files of a store in a process of its own (store-task-process.ts): a damaged file may crash the
// process that reads it, and that has to end as a sentence. Here is what the two say to each other.
import { fork } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StoreError } from '#store';
import type { CheckReport } from '#store-lmdb';

export type StoreTask =
  | { readonly kind: 'check'; readonly directory: string }
  /** Copies the store to a path where nothing is, and checks the copy. */
  | { readonly kind: 'copy'; readonly directory: string; readonly path: string };

export type StoreTaskAnswer =
  | { readonly kind: 'alive' }
  | { readonly kind: 'report'; readonly report: CheckReport }
  | { readonly kind: 'failure'; readonly message: string };

const PROCESS = fileURLToPath(new URL('./store-task-process.js', import.meta.url));
/** The process says that it is alive about once a second; disks that sleep and systems that swap get their time. */
const SILENCE_MS_MAX = 120_000;

/**
 * Ends early when a signal comes that ends the command.
 *
 * @throws StoreError `corrupt` if the process died of the file or fell silent; otherwise why the task could not be done.
 */
export function runStoreTask(task: StoreTask, silenceMilliseconds = SILENCE_MS_MAX): Promise<CheckReport> {
  return new Promise((fulfil, reject) => {
    const child = fork(PROCESS, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    let answer: StoreTaskAnswer | undefined;
    let stopped: StoreError | undefined;
    const stop = (error: StoreError): void => {
      stopped ??= error;
      child.kill('SIGKILL');
    };
    const silence = setTimeout(() => {
      stop(
        damaged(task.directory, `the process that read it did nothing for ${silenceMilliseconds / 1000} s`),
      );
    }, silenceMilliseconds);
    const interrupt = (): void => stop(new StoreError('closed', 'Interrupted; nothing was kept.'));
    process.once('SIGINT', interrupt);
    process.once('SIGTERM', interrupt);
    child.on('message', (message: StoreTaskAnswer) => {
      if (message.kind === 'alive') silence.refresh();
      else answer = message;
    });
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(silence);
      process.off('SIGINT', interrupt);
      process.off('SIGTERM', interrupt);
      if (stopped !== undefined) reject(stopped);
      else if (answer?.kind === 'report') fulfil(answer.report);
      else if (answer?.kind === 'failure') reject(new StoreError('unsupported', answer.message));
      else reject(damaged(task.directory, `the process that read it ended with ${signal ?? code}`));
    });
    child.send(task);
  });
}

const damaged = (directory: string, what: string): StoreError =>
  new StoreError('corrupt', `The store in ${resolve(directory)} is damaged: ${what}.`);
