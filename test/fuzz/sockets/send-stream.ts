// Sends a stream over a connection of its own, packet by packet, and checks everything that comes back.
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { checkAnswer } from '../direct/check-answer.js';
import { readAnswers, type SocketAnswer } from './read-answers.js';
import type { Stream } from './some-stream.js';

/** Far longer than any answer takes: what is missing by then will never come. */
const SILENCE_MILLISECONDS_MAX = 120_000;

/** For bytes that are no request: the answer has no body and ends the connection. */
const BEFORE_HTTP: ReadonlySet<number> = new Set([400, 408, 417, 431]);

function received(socket: Socket): Promise<Buffer> {
  const pieces: Buffer[] = [];
  socket.on('data', (piece: Buffer) => pieces.push(piece));
  socket.on('error', () => undefined);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`Neither answered nor closed, after ${Buffer.concat(pieces).length} bytes.`));
      socket.destroy();
    }, SILENCE_MILLISECONDS_MAX);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(Buffer.concat(pieces));
    });
  });
}

async function send(socket: Socket, { bytes: text, cuts }: Stream): Promise<void> {
  const bytes = Buffer.from(text, 'latin1');
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    if (socket.destroyed) return;
    if (cut > from) socket.write(bytes.subarray(from, cut));
    from = cut;
    // So that what was written goes out as a packet of its own.
    await new Promise(resolve => setImmediate(resolve));
  }
  socket.end();
}

const isBeforeHttp = ({ status, body, isLast }: SocketAnswer): boolean =>
  isLast && body.length === 0 && BEFORE_HTTP.has(status);

function checkEcho(answers: readonly SocketAnswer[], { echo }: Stream): void {
  if (!echo) return;
  const answer = answers[echo.answer];
  assert.equal(answer?.status, 200);
  const { text }: { text?: unknown } = JSON.parse(answer.body.toString());
  assert.equal(text, echo.text, 'A text came back as another.');
}

/** @returns the statuses. @throws what is wrong. */
export async function sendStream(port: number, stream: Stream): Promise<readonly number[]> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
  const receiving = received(socket);
  await send(socket, stream);
  const bytes = await receiving;
  const { methods } = stream;
  const answers = readAnswers(bytes, i => methods?.[i] ?? 'GET');
  for (const answer of answers) if (methods !== undefined || !isBeforeHttp(answer)) checkAnswer(answer);
  if (methods)
    assert.equal(answers.length, methods.length, `${answers.length} answers to ${methods.length} requests.`);
  checkEcho(answers, stream);
  return answers.map(({ status }) => status);
}
