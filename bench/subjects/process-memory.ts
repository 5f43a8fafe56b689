// The resident memory of a process without the mapped data file, from Linux's /proc. Undefined on other systems.
import { readFileSync } from 'node:fs';

/** The system reclaims the memory of the mapped data file when it needs it. */
const DATA_FILE = '.mdb';
const MAPPING = /^[0-9a-f]+-[0-9a-f]+ /;
const RESIDENT = /^Rss: +(\d+) kB$/;

/** Bytes, out of /proc/PID/smaps. */
export function memoryIn(smaps: string): number {
  let kilobytes = 0;
  let isData = false;
  for (const line of smaps.split('\n')) {
    if (MAPPING.test(line)) isData = line.endsWith(DATA_FILE);
    else if (!isData) kilobytes += Number(RESIDENT.exec(line)?.[1] ?? 0);
  }
  return kilobytes * 1024;
}

/** Of a process that runs. */
export function readMemory(pid: number): number | undefined {
  try {
    return memoryIn(readFileSync(`/proc/${pid}/smaps`, 'utf8'));
  } catch {
    return undefined;
  }
}
