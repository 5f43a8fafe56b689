// A load balancer for TCP before several servers: connections go to them in turn, past those that refuse one.
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

export class Balancer {
  readonly #ports: () => readonly number[];
  readonly #server: Server;
  #next = 0;

  private constructor(ports: () => readonly number[]) {
    this.#ports = ports;
    this.#server = createServer(client => {
      client.on('error', () => client.destroy());
      this.#pass(client, this.#ports().length);
    });
  }

  static async start(ports: () => readonly number[]): Promise<Balancer> {
    const balancer = new Balancer(ports);
    balancer.#server.listen(0, '127.0.0.1');
    await once(balancer.#server, 'listening');
    return balancer;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  close(): void {
    this.#server.close();
  }

  #pass(client: Socket, left: number): void {
    const ports = this.#ports();
    const port = ports[this.#next++ % ports.length];
    if (left === 0 || port === undefined) return void client.destroy();
    const server = connect(port, '127.0.0.1');
    server.once('error', () => this.#pass(client, left - 1));
    server.once('connect', () => {
      server.removeAllListeners('error').on('error', () => client.destroy());
      client.on('close', () => server.destroy());
      client.pipe(server).pipe(client);
    });
  }
}
