// Creates a log in its place, where no other process can have one.
import { LogFile } from '../wal/log-file.js';

export async function createLog(directory: string, epoch: bigint): Promise<LogFile> {
  const log = await LogFile.prepare(directory, epoch);
  log.place();
  return log;
}
