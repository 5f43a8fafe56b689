// The resident memory of a process, with the mapped data file separate, and its processor time, from Linux's /proc.
// Undefined on other systems.
import { readFileSync } from 'node:fs';

/** Bytes. */
export interface Memory {
  /** Heaps and stacks: the program's own memory. */
  readonly anonymous: number;
  /** Mapped files: the program's own, and the data's. */
  readonly file: number;
  /** The part of `file` that is the mapped data file; the system reclaims it when needed. */
  readonly data: number;
}

const DATA_FILE = '.mdb';
const MAPPING = /^[0-9a-f]+-[0-9a-f]+ /;

const kilobytes = (text: string, name: string): number =>
  1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0);

/** Resident bytes of the mappings of the data file, out of /proc/PID/smaps. */
function dataBytes(smaps: string): number {
  let bytes = 0;
  let isData = false;
  for (const line of smaps.split('\n')) {
    if (MAPPING.test(line)) isData = line.endsWith(DATA_FILE);
    else if (isData && line.startsWith('Rss:')) bytes += kilobytes(line, 'Rss');
  }
  return bytes;
}

/** Out of /proc/PID/status and /proc/PID/smaps. */
export const parseMemory = (status: string, smaps: string): Memory => ({
  anonymous: kilobytes(status, 'RssAnon') + kilobytes(status, 'RssShmem'),
  file: kilobytes(status, 'RssFile'),
  data: dataBytes(smaps),
});

/** Its live child processes; none where the system does not report them. */
export function childrenOf(pid: number): readonly number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  } catch {
    return [];
  }
}

/** For several processes; what they share counts once for each. */
export const sumMemory = (memories: readonly Memory[]): Memory => ({
  anonymous: memories.reduce((sum, { anonymous }) => sum + anonymous, 0),
  file: memories.reduce((sum, { file }) => sum + file, 0),
  data: memories.reduce((sum, { data }) => sum + data, 0),
});

/** Undefined where the system does not report it. */
export function readMemory(pid: number): Memory | undefined {
  try {
    const read = (name: string): string => readFileSync(`/proc/${pid}/${name}`, 'utf8');
    return parseMemory(read('status'), read('smaps'));
  } catch {
    return undefined;
  }
}

/** The memory that counts against the goal: everything except the mapped data file. */
export const besideData = ({ anonymous, file, data }: Memory): number => anonymous + file - data;

/** The fields of /proc/PID/stat after the name, which may contain spaces: user and system time, in clock ticks. */
export function parseTicks(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** Processor time used, in ticks of 10 ms; undefined where the system does not report it. */
export function readTicks(pid: number): number | undefined {
  try {
    return parseTicks(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return undefined;
  }
}
