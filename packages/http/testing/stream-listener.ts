// A listener for tests of streams, or of bodies that are collected, and clients that write requests piece by piece.
import type { Socket } from 'node:net';
import type { TestContext } from 'node:test';
import type { BodyStream, StreamedResponse, WireRequest } from '#base';
import { type Listener, type ListenOptions, listen, type Respond } from '../listen.js';
import { connect, drainUndated } from './raw-socket.js';

/** A listener's short timeouts, extended so that they do not pass on a busy machine. */
export const PATIENT = { linger: 120_000, drainWhenShort: 120_000, closing: 120_000 };

export async function openStreams(
  context: TestContext,
  respond: Respond,
  options: Partial<ListenOptions> = {},
): Promise<Listener> {
  const timeouts = { ...PATIENT, ...options.timeouts };
  const listener = await listen({ host: '127.0.0.1', port: 0, ...options, timeouts }, respond);
  context.after(() => listener.close());
  return listener;
}

/** The stream of a request that must have one. */
export function streamOf({ stream, target }: WireRequest): BodyStream {
  if (stream === undefined) throw new Error(`The body of ${target} is no stream.`);
  return stream;
}

export const streamed = (
  body: AsyncIterable<Buffer>,
  headers: StreamedResponse['headers'] = [],
): StreamedResponse => ({ status: 200, headers, body });

export async function* pieces(...texts: readonly string[]): AsyncGenerator<Buffer, void, undefined> {
  for (const text of texts) yield Buffer.from(text);
}

export const chunk = (bytes: Buffer | string): Buffer =>
  Buffer.concat([
    Buffer.from(`${Buffer.byteLength(bytes).toString(16)}\r\n`),
    Buffer.from(bytes),
    Buffer.from('\r\n'),
  ]);

export const pause = (milliseconds: number): Promise<void> =>
  new Promise(resolve => setTimeout(resolve, milliseconds));

/** Some turns of the event loop. In each, all sockets of this process are polled: what was written to one is read. */
export async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise(resolve => setImmediate(resolve));
}

/** Resolves with a count once it no longer changes, although all sockets were polled many times. */
export async function settled(count: () => number): Promise<number> {
  let seen = count();
  for (let looks = 0; looks < 20; looks++) {
    await pause(2);
    await turns();
    if (count() === seen) continue;
    seen = count();
    looks = 0;
  }
  return seen;
}

/** What a socket has received so far, as text of bytes. */
export function received(socket: Socket): () => string {
  const parts: string[] = [];
  socket.on('data', bytes => parts.push(bytes.toString('latin1')));
  return () => parts.join('');
}

/** Writes a part of a request, text as Latin-1, and waits until the listener, which is in this process, has read it separately. */
export async function send(socket: Socket, part: string | Buffer): Promise<void> {
  if (socket.destroyed || !socket.writable) return;
  await new Promise<void>(resolve => socket.write(part, 'latin1', () => resolve()));
  await pause(2);
  await turns();
}

/** Everything that a listener answers to parts that it reads one by one, without the dates. */
export async function exchange(listener: Listener, ...parts: readonly (string | Buffer)[]): Promise<string> {
  const socket = connect(listener);
  const drained = drainUndated(socket);
  for (const part of parts) await send(socket, part);
  return drained;
}

/** Holds back whoever waits for `opened`. */
export function newGate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>(resolve => {
    open = resolve;
  });
  return { opened, open };
}

/** The body in one buffer, however it arrives. */
export const collecting =
  (respond: Respond, bytesMax = 1_048_576): Respond =>
  async request => {
    const whole = await request.stream?.collect(bytesMax);
    return respond(whole ? { ...request, ...whole, stream: undefined } : request);
  };
