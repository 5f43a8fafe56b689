// The connections of a listener: as many as it admits, and briefly some more, which get 503.
import type { Socket } from 'node:net';
import { Connection } from './connection.js';
import type { ListenerContext } from './listener-context.js';

export class Connections {
  readonly #context: ListenerContext;
  readonly #connectionsMax: number;
  readonly #all = new Set<Connection>();
  #admitted = 0;

  constructor(context: ListenerContext, connectionsMax: number) {
    this.#context = context;
    this.#connectionsMax = connectionsMax;
  }

  get size(): number {
    return this.#all.size;
  }

  accept(socket: Socket): void {
    const connection = new Connection(socket, this.#context);
    const isAdmitted = this.#admitted < this.#connectionsMax;
    if (isAdmitted) this.#admitted += 1;
    this.#all.add(connection);
    socket.on('close', () => {
      this.#all.delete(connection);
      if (isAdmitted) this.#admitted -= 1;
    });
    if (!isAdmitted) connection.refuse(503);
  }

  /** Called at intervals. */
  expire(now: number): void {
    this.#context.now = now;
    const { timeouts, limits, isClosing, closingSince, bufferedBytes } = this.#context;
    for (const connection of this.#all) connection.expire();
    if (bufferedBytes > limits.bufferedBytesMax) for (const connection of this.#all) connection.hurry();
    if (isClosing && now - closingSince > timeouts.closing) this.#cut();
  }

  closeIdle(): void {
    for (const connection of this.#all) connection.closeIfIdle();
  }

  #cut(): void {
    for (const connection of this.#all) connection.destroy();
  }
}
