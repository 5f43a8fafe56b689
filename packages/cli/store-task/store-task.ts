// Runs a tool of an engine on a whole store in a process of its own (store-task-process.ts): a damaged file may crash the
// process that reads it, and the command has to report that in a sentence. Defines the messages between the two.
import { fork } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ENGINES } from '#server/engines';
import { type StoreCopy, StoreError, type StoreReport } from '#store';

/** `store` is the address of a store. */
export type CopyTask =
  | { readonly kind: 'backup'; readonly store: string; readonly to: string }
  | { readonly kind: 'restore'; readonly store: string; readonly from: string };
export type StoreTask = { readonly kind: 'check'; readonly store: string } | CopyTask;

export type StoreTaskAnswer =
  | { readonly kind: 'alive' }
  | { readonly kind: 'report'; readonly report: StoreReport }
  | { readonly kind: 'failure'; readonly message: string };

const PROCESS = fileURLToPath(new URL('./store-task-process.js', import.meta.url));
/** The child sends a heartbeat about once a second; the limit allows for sleeping disks and swapping systems. */
const SILENCE_MS_MAX = 120_000;

/** @throws StoreError `unsupported` if the engine has no such tool. */
export const copyOf = (task: CopyTask): StoreCopy =>
  task.kind === 'backup'
    ? ENGINES.tool(task.store, 'backup')(task.to)
    : ENGINES.tool(task.store, 'restore')(task.from);

/** The data that the task reads. */
export const sourceOf = (task: StoreTask): string =>
  task.kind === 'restore' ? resolve(task.from) : ENGINES.tools(task.store).place;

/**
 * A signal that ends the command ends the task.
 *
 * @throws StoreError `corrupt` if the process crashed or hung; otherwise the reason why the task failed.
 */
export function runStoreTask(task: StoreTask, silenceMilliseconds = SILENCE_MS_MAX): Promise<StoreReport> {
  return new Promise((fulfil, reject) => {
    const child = fork(PROCESS, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    let answer: StoreTaskAnswer | undefined;
    let stopped: StoreError | undefined;
    const stop = (error: StoreError): void => {
      stopped ??= error;
      child.kill('SIGKILL');
    };
    const silence = setTimeout(() => {
      stop(damaged(task, `the process that read it did nothing for ${silenceMilliseconds / 1000} s`));
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
      else reject(damaged(task, `the process that read it ended with ${signal ?? code}`));
    });
    child.send(task);
  });
}

const damaged = (task: StoreTask, what: string): StoreError =>
  new StoreError('corrupt', `The store in ${sourceOf(task)} is damaged: ${what}.`);
