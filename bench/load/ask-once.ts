// Runs one function of the benchmark in a process of its own, and returns its result. As a program it is that process.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { WrongAnswer } from './job.js';

const PROGRAM = fileURLToPath(import.meta.url);

interface Reply<T> {
  readonly result?: T;
  readonly failure?: string;
}

/** What a process of the benchmark replied. @throws WrongAnswer for a failure. */
export function resultOf<T>(reply: unknown): T {
  const { result, failure } = reply as Reply<T>;
  if (result === undefined) throw new WrongAnswer(String(failure));
  return result;
}

/** `module` is the URL of a compiled file, and `name` the asynchronous function in it. @throws WrongAnswer if that fails. */
export async function askOnce<T>(module: URL, name: string, job: object): Promise<T> {
  const child = fork(PROGRAM, [module.href, name], { execArgv: [] });
  child.send(job);
  // Not 'exit', which may come before its whole output is read.
  const ended = once(child, 'close').then(([code]) => {
    throw new Error(`${name} ended with ${String(code)} before it told anything.`);
  });
  const [reply] = await Promise.race([once(child, 'message'), ended]);
  return resultOf<T>(reply);
}

/** Sends the outcome of a piece of work to the parent. */
export const reply = (work: Promise<object>, then: () => void = () => undefined): void =>
  void work.then(
    result => process.send?.({ result }, then),
    (error: Error) => process.send?.({ failure: error.stack }, then),
  );

async function perform(job: object): Promise<object> {
  const [, , module = '', name = ''] = process.argv;
  const functions: Readonly<Record<string, (job: object) => Promise<object>>> = await import(module);
  const run = functions[name];
  if (run === undefined) throw new Error(`${module} has no ${name}.`);
  return run(job);
}

if (process.argv[1] === PROGRAM)
  process.once('message', (job: object) => reply(perform(job), () => process.disconnect()));
