// Starts a program of the benchmark for one question, and returns its reply or the reason why it failed.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** `program` is the URL of a compiled program. Fails if it ends before it replies. */
export async function askOnce(program: URL, question: object): Promise<unknown> {
  const child = fork(fileURLToPath(program), {
    execArgv: [],
    // Millions of numbers come back, which as JSON would be an object each.
    serialization: 'advanced',
  });
  child.send(question);
  // Not 'exit', which may come before its whole output is read.
  const ended = once(child, 'close').then(([code]) => {
    throw new Error(`${program.pathname} ended with ${String(code)} before it told anything.`);
  });
  const [message] = await Promise.race([once(child, 'message'), ended]);
  return message;
}
