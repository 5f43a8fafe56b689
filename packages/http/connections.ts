// Which connections a listener has: as many as it has places for, and for a moment some more that are told so.
import type { Socket } from 'node:net';
import { Connection, type Site } from './connection.js';

export class Connections {
  readonly #site: Site;
  readonly #placesMax: number;
  readonly #all = new Set<Connection>();
  #placed = 0;

  constructor(site: Site, placesMax: number) {
    this.#site = site;
    this.#placesMax = placesMax;
  }

  get size(): number {
    return this.#all.size;
  }

  accept(socket: Socket): void {
    const connection = new Connection(socket, this.#site);
    const place = this.#placed < this.#placesMax ? 1 : 0;
    this.#placed += place;
    this.#all.add(connection);
    socket.on('close', () => {
      this.#all.delete(connection);
      this.#placed -= place;
    });
    if (place === 0) connection.turnAway();
  }

  /** To be called every now and then. */
  expire(now: number): void {
    this.#site.now = now;
    const { timeouts, isClosing, closingSince, heldBytes, heldBytesMax } = this.#site;
    for (const connection of this.#all) connection.expire();
    if (heldBytes > heldBytesMax) for (const connection of this.#all) connection.hurry();
    if (isClosing && now - closingSince > timeouts.closing) this.#cut();
  }

  closeIdle(): void {
    for (const connection of this.#all) connection.closeIfIdle();
  }

  #cut(): void {
    for (const connection of this.#all) connection.destroy();
  }
}
