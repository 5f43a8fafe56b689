// The lock of a data directory: one server at a time, so that one started by mistake is refused with the other's address. The lock is a
// listening socket in the directory, which the system closes with the process; the socket file of a killed server does not answer and is
// replaced. The workers of one primary share its lock. Commands that read the files take none. Without Unix sockets there is no lock.
import { openSync, rmSync, statSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join, resolve } from 'node:path';
import { leaveName, takeName } from '#data-tools/take-name';
import { ConfigurationError } from '#server';

const SOCKET_NAME = 'server.sock';
/** The maximum length of a socket's name, in bytes: the smallest that systems allow is 104. */
const PATH_BYTES_MAX = 100;
/** A server that accepts a connection and sends nothing in this time is stopped or very busy, but alive. */
const ANSWER_MILLISECONDS_MAX = 2_000;

/** The text that a socket's listener sends; undefined if there is no listener. */
function whoListens(path: string): Promise<string | undefined> {
  return new Promise(resolve => {
    const socket = connect(path);
    let text = '';
    socket.setTimeout(ANSWER_MILLISECONDS_MAX, () => socket.destroy());
    let isAlive = false;
    socket.on('connect', () => {
      isAlive = true;
    });
    socket.on('data', bytes => {
      text += bytes.toString('utf8');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
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

/** False if the directory does not support sockets. */
function listenOn(server: Server, path: string): Promise<boolean> {
  return new Promise(resolve => {
    server.once('error', () => resolve(false));
    server.listen(path, () => resolve(true));
  });
}

class DirectoryLock {
  readonly #directory: string;
  /** The same directory, by a name that is short enough for sockets. */
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

  /** @throws ConfigurationError if another server has locked the directory. */
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
      await this.#install(own, path);
      process.once('exit', () => leaveName(path));
    } finally {
      rmSync(own, { force: true });
    }
  }

  async #install(own: string, path: string): Promise<void> {
    const taken = await takeName(own, path, whoListens);
    if (taken === 'taken') return;
    if (taken === 'busy')
      throw new ConfigurationError(
        `${this.#directory} cannot be locked: other servers start there. Try again.`,
      );
    const who = taken.owner === '' ? 'another server, which does not answer' : taken.owner;
    throw new ConfigurationError(
      `${this.#directory} is in use by ${who}: stop it, or choose another directory with --data.`,
    );
  }
}

/**
 * Starts a server under the lock of its directory; `describe` gives the text that refused servers show. A directory that does not
 * exist yet is locked after the server has created it.
 *
 * @throws ConfigurationError if another server has locked it.
 */
export async function startLocked<T>(
  directory: string | undefined,
  start: () => Promise<T>,
  describe: (started: T) => string,
): Promise<T> {
  if (directory === undefined || process.platform === 'win32') return start();
  const acquire = async (): Promise<DirectoryLock> => {
    const lock = new DirectoryLock(directory);
    await lock.take();
    return lock;
  };
  const before = isDirectory(directory) ? await acquire() : undefined;
  const started = await start();
  const lock = before ?? (await acquire());
  lock.says(`process ${process.pid} (${describe(started)})`);
  return started;
}
