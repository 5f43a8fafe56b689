// One connection that sends a request and waits for its answer, on which the next request may depend. The caller
// decides on the number of connections and the requests.
import { connect, type Socket } from 'node:net';
import { type Response, ResponseParser } from './response-parser.js';

interface Waiting {
  readonly fulfil: (response: Response) => void;
  readonly reject: (error: Error) => void;
}

export class Caller {
  readonly #socket: Socket;
  readonly #parser = new ResponseParser();
  #waiting: Waiting | undefined;
  #failure: Error | undefined;

  constructor(port: number) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('data', (chunk: Buffer) => this.#read(chunk));
    this.#socket.on('error', error => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('The server closed a connection.')));
  }

  /** One request at a time. */
  ask(request: Buffer | string): Promise<Response> {
    return new Promise((fulfil, reject) => {
      if (this.#failure !== undefined) {
        reject(this.#failure);
        return;
      }
      this.#waiting = { fulfil, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    try {
      this.#parser.push(chunk);
      const response = this.#parser.next();
      if (response === undefined) return;
      const waiting = this.#waiting;
      this.#waiting = undefined;
      if (waiting === undefined) throw new Error('An answer that nobody asked for.');
      waiting.fulfil(response);
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#socket.destroy();
    this.#waiting?.reject(this.#failure);
    this.#waiting = undefined;
  }
}
