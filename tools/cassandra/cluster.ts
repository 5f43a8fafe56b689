// Nodes of Cassandra on this machine, by default on 127.0.0.1 and up: starts, kills, pauses, resumes and stops them.
// All state is in their directory, so that each command may be a process of its own. node-files.ts has their settings.
import { type ChildProcess, spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import cassandra from 'cassandra-driver';
import { fetchJars } from './fetch-jars.js';
import { javaArguments, type NodeSettings, yamlOf } from './node-files.js';

const PORT = 9042;
const START_MS = 180_000;
const END_MS = 30_000;
const LOOK_MS = 100;
const LOG_LINES = 30;
/** Its settings are one line of some ten thousand characters. */
const LOG_LINE_LENGTH = 300;

/** The default data center of a cluster's nodes. */
const DATA_CENTER = 'datacenter1';

/** The nodes' addresses, and how their processes are started. */
export interface NodePlaces {
  hostOf(node: number): string;
  /** The address for clients. */
  clientHostOf(node: number): string;
  /** A command that runs the command given after it, in the same process. */
  launcherOf(node: number): readonly string[];
}

/** 127.0.0.1 and up, with `before` addresses left out. */
export function onLoopback(before: number): NodePlaces {
  const hostOf = (node: number): string => `127.0.0.${before + node}`;
  return { hostOf, clientHostOf: hostOf, launcherOf: () => [] };
}

export class Cluster {
  readonly #directory: string;
  readonly #places: NodePlaces;
  readonly #properties: readonly string[];

  /** `properties`: Java's, in addition to those that every node has. */
  constructor(directory: string, places: NodePlaces = onLoopback(0), properties: readonly string[] = []) {
    this.#directory = directory;
    this.#places = places;
    this.#properties = properties;
  }

  hostOf(node: number): string {
    return this.#places.hostOf(node);
  }

  /** The numbers of its nodes, from 1, whether they run or not. */
  get nodes(): readonly number[] {
    if (!existsSync(this.#directory)) return [];
    return readdirSync(this.#directory).map(Number).sort();
  }

  /**
   * Creates a cluster of this many nodes and starts it; resolves when each accepts requests and knows the others. Fails
   * if there is one already.
   */
  async start(count: number, overrides?: NodeSettings['overrides']): Promise<void> {
    if (this.nodes.length > 0) throw new Error(`A cluster is in ${this.#directory}: stop it first.`);
    const numbers = Array.from({ length: count }, (_, i) => i + 1);
    for (const node of numbers) await this.#mustBeFree(node);
    try {
      for (const node of numbers) this.#prepare(node, count, overrides);
      const begun: [number, ChildProcess][] = [];
      for (const node of numbers) begun.push([node, await this.#run(node)]);
      for (const [node, child] of begun) await this.#answers(node, child);
      if (count > 1) for (const node of numbers) await this.#knows(node, count);
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Like a failing machine: at once, without notifying the others. */
  async kill(node: number): Promise<void> {
    this.#signal(node, 'SIGKILL');
    await this.#ended(node);
  }

  /** Like an operator before maintenance: the node says goodbye to the others and writes its memory to the disk. */
  async end(node: number): Promise<void> {
    this.#signal(node, 'SIGTERM');
    await this.#ended(node);
  }

  /** Keeps its sockets, and answers nothing. */
  pause(node: number): void {
    if (this.#isPaused(node)) throw new Error(`Node ${node} is paused already.`);
    this.#signal(node, 'SIGSTOP');
  }

  resume(node: number): void {
    if (this.isRunning(node) && !this.#isPaused(node)) throw new Error(`Node ${node} is not paused.`);
    this.#signal(node, 'SIGCONT');
  }

  /**
   * Starts a node that was killed, or kills it first; its data is unchanged, and so are its settings unless overrides
   * are given.
   */
  async restart(node: number, overrides?: NodeSettings['overrides']): Promise<void> {
    if (this.isRunning(node)) await this.kill(node);
    await this.#mustBeFree(node);
    if (overrides !== undefined) this.#prepare(node, this.nodes.length, overrides);
    await this.#answers(node, await this.#run(node));
  }

  /** Ends all nodes and removes their data. */
  async stop(): Promise<void> {
    for (const node of this.nodes) if (this.isRunning(node)) await this.kill(node);
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #prepare(node: number, count: number, overrides: NodeSettings['overrides']): void {
    const directory = this.#of(node);
    mkdirSync(directory, { recursive: true });
    // Each has an equal part of the ring.
    const token = (2n ** 64n * BigInt(node - 1)) / BigInt(count) - 2n ** 63n;
    const seeds = Array.from({ length: count }, (_, i) => this.hostOf(i + 1));
    writeFileSync(
      join(directory, 'cassandra.yaml'),
      yamlOf({
        host: this.hostOf(node),
        clientHost: this.#places.clientHostOf(node),
        token,
        seeds,
        directory,
        overrides,
      }),
    );
  }

  async #run(node: number): Promise<ChildProcess> {
    const directory = this.#of(node);
    const log = openSync(join(directory, 'log'), 'a');
    const [program = '', ...rest] = [
      ...this.#places.launcherOf(node),
      'java',
      ...javaArguments(await fetchJars(), directory, this.#properties),
    ];
    const child = spawn(program, rest, {
      detached: true,
      stdio: ['ignore', log, log],
      cwd: directory,
    });
    closeSync(log);
    child.unref();
    // Without a listener the error would end this program.
    child.on('error', () => undefined);
    if (child.pid === undefined) throw new Error('There is no java here: Cassandra needs Java 17.');
    writeFileSync(join(directory, 'pid'), String(child.pid));
    return child;
  }

  async #answers(node: number, child: ChildProcess): Promise<void> {
    const endOf = (): unknown => child.exitCode ?? child.signalCode;
    for (let waited = 0; waited < START_MS; waited += LOOK_MS) {
      if (await isListening(this.hostOf(node))) return;
      if (endOf() !== null) break;
      await sleep(LOOK_MS);
    }
    const log = readFileSync(join(this.#of(node), 'log'), 'utf8')
      .trimEnd()
      .split('\n')
      .slice(-LOG_LINES)
      .map(line => line.slice(0, LOG_LINE_LENGTH));
    const state = endOf() === null ? 'does not answer' : `ended with ${endOf()}`;
    throw new Error(`Node ${node} ${state}. Its log ends:\n${log.join('\n')}`);
  }

  async #knows(node: number, count: number): Promise<void> {
    const host = this.hostOf(node);
    for (let waited = 0; waited < START_MS; waited += LOOK_MS) {
      if ((await knownHosts(host)) === count) return;
      await sleep(LOOK_MS);
    }
    throw new Error(`Node ${node} does not hear of the others.`);
  }

  async #ended(node: number): Promise<void> {
    // Its sockets are closed a moment after its command line is gone.
    const isThere = async (): Promise<boolean> =>
      this.isRunning(node) || (await isListening(this.hostOf(node)));
    for (let waited = 0; waited < END_MS && (await isThere()); waited += LOOK_MS) await sleep(LOOK_MS);
    if (this.isRunning(node)) throw new Error(`Node ${node} does not end.`);
  }

  /** Otherwise another program's answer would be taken for the node's. */
  async #mustBeFree(node: number): Promise<void> {
    const host = this.hostOf(node);
    if (await isListening(host)) throw new Error(`Another program listens at ${host}:${PORT}.`);
  }

  /** Paused ones count as running. */
  isRunning(node: number): boolean {
    const pid = this.#pidOf(node);
    if (pid === undefined) return false;
    try {
      // A zombie has no command line; another process that reuses the pid does not contain this directory.
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(this.#of(node));
    } catch {
      return false;
    }
  }

  #isPaused(node: number): boolean {
    if (!this.isRunning(node)) return false;
    // The state follows the program's name, which is in parentheses.
    return /\) T [^)]*$/.test(readFileSync(`/proc/${this.#pidOf(node)}/stat`, 'utf8'));
  }

  #pidOf(node: number): number | undefined {
    const file = join(this.#of(node), 'pid');
    return existsSync(file) ? Number(readFileSync(file, 'utf8')) : undefined;
  }

  #signal(node: number, signal: NodeJS.Signals): void {
    const pid = this.#pidOf(node);
    if (pid === undefined || !this.isRunning(node)) throw new Error(`Node ${node} does not run.`);
    process.kill(pid, signal);
  }

  #of(node: number): string {
    return join(this.#directory, String(node));
  }
}

const isListening = (host: string): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect({ host, port: PORT });
    const end = (is: boolean): void => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', () => end(true)).once('error', () => end(false));
  });

/** How many nodes one of them knows, with itself: they learn of each other one after another, even after they accept requests. */
async function knownHosts(host: string): Promise<number> {
  const client = new cassandra.Client({ contactPoints: [host], localDataCenter: DATA_CENTER });
  try {
    await client.connect();
    return client.hosts.length;
  } finally {
    await client.shutdown();
  }
}
