// Sockets for tests that write their bytes themselves, and answers that are distinguished by their bodies.
import net from 'node:net';
import type { WireResponse } from '#base';
import type { Listener } from '../listen.js';

export const HEAD = 'HTTP/1.1\r\nHost: h\r\n';
export const LAST = `GET /last ${HEAD}Connection: close\r\n\r\n`;

export const answer = (body: WireResponse['body'], status = 200): WireResponse => ({
  status,
  headers: [['Content-Length', String(body === undefined ? 0 : Buffer.byteLength(body))]],
  body,
});

/** Ends its half when the other has ended; errors show in what did not arrive. */
export function connect({ port, host }: Pick<Listener, 'host' | 'port'>): net.Socket {
  const socket = net.connect({ port, host, allowHalfOpen: true, noDelay: true });
  socket.on('error', () => undefined);
  socket.on('end', () => socket.end());
  return socket;
}

/** Everything that arrives until the connection ends, well or not. */
export function drain(socket: net.Socket): Promise<string> {
  let text = '';
  socket.on('data', bytes => {
    text += bytes.toString('latin1');
  });
  return new Promise(resolve => {
    socket.on('close', () => resolve(text));
  });
}

/** The same without the dates. */
export const drainUndated = async (socket: net.Socket): Promise<string> =>
  (await drain(socket)).replace(/\r\nDate: [^\r]*/g, '');
