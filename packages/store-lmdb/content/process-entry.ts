// The processes that use the contents of a directory: each has a file `contents/processes/<process id>`, which
// identifies the process on this machine and holds the time since when it pins what others drop. Process ids are random
// and never reused; content ids begin with them.
//
// The clock is the system's monotonic one, which all processes of a machine share. A process takes the time of a pin
// before it writes it down, and reads rows after that. A process that drops takes the time after the commit that
// removes the content's last name from the rows, and then looks for pins. A pin that it finds may belong to a reader of
// the old row if the pin's time is smaller; a pin that it does not find yet belongs to a reader that will see the new
// row.
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../lmdb/system-call.js';
import { PROCESS_ID_LENGTH, PROCESSES_NAME, prepareContents } from './content-path.js';

const ID_BYTES = 9;
const NEVER = 0n;
const TIME_DIGITS = 20;

export const monotonicNow = (): bigint => process.hrtime.bigint();

/** This process's own file; it exists while this is open. */
export class ProcessEntry {
  readonly id: string;
  readonly #path: string;
  readonly #file: number;
  readonly #prefix: string;

  /** Creates the directory of all contents if it is missing. Fails with the system's error. `pin` as for `publishPin`. */
  constructor(directory: string, isDurable: boolean, pin?: bigint) {
    this.id = newProcessId();
    this.#path = join(directory, PROCESSES_NAME, this.id);
    this.#prefix = `1 ${identityOf('self') ?? String(process.pid)} `;
    // Other processes take an unreadable entry for that of a process that has ended.
    const unready = `${this.#path}.new`;
    prepareContents(directory, isDurable);
    this.#file = openSync(unready, 'wx', 0o600);
    this.publishPin(pin);
    renameSync(unready, this.#path);
  }

  /** The time of this process's oldest pin; undefined if there is none. */
  publishPin(time: bigint | undefined): void {
    const digits = String(time ?? NEVER).padStart(TIME_DIGITS, '0');
    writeSync(this.#file, `${this.#prefix}${digits}\n`, 0, 'latin1');
  }

  close(): void {
    closeSync(this.#file);
    rmSync(this.#path, { force: true });
  }
}

/** The current entries of a directory, of processes other than `own`. */
export class ProcessEntries {
  readonly #directory: string;
  readonly #own: string | undefined;
  /** An entry whose process has ended never comes back. */
  readonly #ended = new Set<string>();

  constructor(directory: string, own?: string) {
    this.#directory = join(directory, PROCESSES_NAME);
    this.#own = own;
  }

  /** Whether the process is another one that is alive. Call after one of its contents was seen. */
  isAlive(id: string): boolean {
    if (id === this.#own || this.#ended.has(id)) return false;
    if (this.#read(id) !== undefined) return true;
    this.#ended.add(id);
    return false;
  }

  /** The time of the oldest pin of another process: it may still read what was dropped since. */
  oldestPin(): bigint | undefined {
    let oldest: bigint | undefined;
    for (const id of this.#others()) {
      const pin = this.#read(id)?.pin ?? NEVER;
      if (pin !== NEVER && (oldest === undefined || pin < oldest)) oldest = pin;
    }
    return oldest;
  }

  /** Removes the entries of processes that have ended. */
  clean(): void {
    for (const id of this.#others()) {
      if (this.#read(id) === undefined) rmSync(join(this.#directory, id), { force: true });
    }
  }

  #others(): readonly string[] {
    try {
      return readdirSync(this.#directory).filter(id => id !== this.#own && id.length === PROCESS_ID_LENGTH);
    } catch {
      return [];
    }
  }

  /** Undefined if its process has ended. */
  #read(id: string): { readonly pin: bigint } | undefined {
    let text: string;
    try {
      text = readFileSync(join(this.#directory, id), 'latin1');
    } catch {
      return undefined;
    }
    const [, identity, pid, pin] = /^1 ((\d+)\S*) (\d{20})\n$/.exec(text) ?? [];
    if (pid === undefined || pin === undefined || identityOf(pid) !== identity) return undefined;
    return { pin: BigInt(pin) };
  }
}

/**
 * Identifies a process among all on this machine; undefined if it has ended. On systems other than Linux, only its pid.
 */
function identityOf(pid: string): string | undefined {
  if (process.platform !== 'linux')
    return isRunning(pid === 'self' ? process.pid : Number(pid)) ? pid : undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // Follows the name, which may contain spaces and parentheses: the state is field 3, the start field 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const isDead = fields[0] === 'Z' || fields[0] === 'X';
    return isDead ? undefined : `${stat.slice(0, stat.indexOf(' '))}.${fields[19]}.${bootOf()}`;
  } catch {
    return undefined;
  }
}

let boot: string | undefined;

function bootOf(): string {
  boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  return boot;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** Letters and digits. */
function newProcessId(): string {
  const number = BigInt(`0x${randomBytes(ID_BYTES).toString('hex')}`);
  return number.toString(36).padStart(PROCESS_ID_LENGTH, '0').slice(0, PROCESS_ID_LENGTH);
}
