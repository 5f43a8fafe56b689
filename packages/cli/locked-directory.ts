// One server a data directory: a second one that is started by mistake is told who has it. Who has it listens on a socket in the
// directory, which ends with the process however that ends; what a killed one leaves behind answers nobody and is put aside. The
// workers of one primary share its hold. Commands that read the files need none. Where there are no such sockets, nothing is held.
import { linkSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join, resolve } from 'node:path';
import { ConfigurationError } from '#server';
import { systemCode } from './fail.js';

const SOCKET_NAME = 'server.sock';
/** Of a socket's name, in bytes: the least that systems allow is 104. */
const PATH_BYTES_MAX = 100;
/** One that takes connections and says nothing is stopped or very busy, and alive. */
const ANSWER_MILLISECONDS_MAX = 2_000;
/** Times that another's socket is found dead and gone again before it could be put aside. */
const TRIES_MAX = 10;

/** What a socket says to who connects: undefined if nobody listens. */
function whoListens(path: string): Promise<string | undefined> {
  return new Promise(resolve => {
    const socket = connect(path);
    let text = '';
    const timer = setTimeout(() => socket.destroy(), ANSWER_MILLISECONDS_MAX);
    let isAlive = false;
    socket.on('connect', () => {
      isAlive = true;
    });
    socket.on('data', bytes => {
      text += bytes.toString('utf8');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(isAlive ? text : undefined);
    });
  });
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Of the socket that has the name now; undefined if none has. */
function identityOf(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.ino} ${stats.ctimeNs}`;
}

/** False if the directory cannot have sockets. */
function listenOn(server: Server, path: string): Promise<boolean> {
  return new Promise(resolve => {
    server.once('error', () => resolve(false));
    server.listen(path, () => resolve(true));
  });
}

/** @returns whether it is done; false if `what` is in the way of it, or is gone. */
function tried(act: () => void, what: 'EEXIST' | 'ENOENT'): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (systemCode(error) === what) return false;
    throw error;
  }
}

/** The directory may be gone by then. */
function leave(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // What is left answers nobody.
  }
}

class HeldDirectory {
  readonly #directory: string;
  /** The same, by a name that is short enough for sockets. */
  readonly #short: string;
  #says = `process ${process.pid}, which is starting`;

  constructor(directory: string) {
    this.#directory = resolve(directory);
    const isShort = Buffer.byteLength(this.#directory) + 40 <= PATH_BYTES_MAX;
    this.#short =
      isShort || process.platform !== 'linux'
        ? this.#directory
        : `/proc/self/fd/${openSync(this.#directory, 'r')}`;
  }

  says(text: string): void {
    this.#says = text;
  }

  /** @throws ConfigurationError if another server has the directory. */
  async take(): Promise<void> {
    const own = join(this.#short, `${SOCKET_NAME}.${process.pid}`);
    const path = join(this.#short, SOCKET_NAME);
    rmSync(own, { force: true });
    const server = createServer(socket => {
      socket.on('error', () => undefined);
      socket.end(this.#says);
    }).unref();
    if (!(await listenOn(server, own))) return;
    try {
      await this.#place(own, path);
      process.once('exit', () => leave(path));
    } finally {
      rmSync(own, { force: true });
    }
  }

  async #place(own: string, path: string): Promise<void> {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      if (tried(() => linkSync(own, path), 'EEXIST')) return;
      const found = identityOf(path);
      this.#refuseIfAlive(await whoListens(path));
      // Meanwhile another one may have put it aside and be here now: who is alive is to have the name at each moment.
      if (identityOf(path) !== found) continue;
      const aside = `${own}.old`;
      if (!tried(() => renameSync(path, aside), 'ENOENT')) continue;
      // The same may have happened between the last two lines.
      const listening = await whoListens(aside);
      if (listening !== undefined) tried(() => linkSync(aside, path), 'EEXIST');
      rmSync(aside, { force: true });
      this.#refuseIfAlive(listening);
    }
  }

  #refuseIfAlive(listening: string | undefined): void {
    if (listening === undefined) return;
    const who = listening === '' ? 'another server, which does not answer' : listening;
    throw new ConfigurationError(
      `${this.#directory} is in use by ${who}: stop it, or choose another directory with --data.`,
    );
  }
}

/**
 * Starts a server while nobody else has its directory; `describe` tells others who has it then. A directory that does not
 * exist is nobody's, and is there once the server is.
 *
 * @throws ConfigurationError if another server has it.
 */
export async function startHeld<T>(
  directory: string | undefined,
  start: () => Promise<T>,
  describe: (started: T) => string,
): Promise<T> {
  if (directory === undefined || process.platform === 'win32') return start();
  const hold = async (): Promise<HeldDirectory> => {
    const held = new HeldDirectory(directory);
    await held.take();
    return held;
  };
  const before = isDirectory(directory) ? await hold() : undefined;
  const started = await start();
  const held = before ?? (await hold());
  held.says(`process ${process.pid} (${describe(started)})`);
  return started;
}
