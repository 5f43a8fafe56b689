// Compiles recorder.c, and sets the environment in which a process is recorded.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../support/spawned-server.js';

const SOURCE = join(ROOT, 'test', 'power-cut', 'recorder.c');

/** Why recording is not possible here; undefined if it is. */
export function compileRecorder(library: string): string | undefined {
  if (process.platform !== 'linux') return 'the recorder is for Linux';
  const flags = ['-O1', '-Wall', '-Wextra', '-Werror', '-shared', '-fPIC'];
  const { error, status, stderr } = spawnSync('gcc', [...flags, '-o', library, SOURCE], { encoding: 'utf8' });
  if (error !== undefined) return 'there is no gcc, which compiles the recorder';
  if (status !== 0) throw new Error(`gcc does not compile ${SOURCE}:\n${stderr}`);
  return undefined;
}

export interface Recorded {
  /** The directory whose files are recorded, without symbolic links. */
  readonly root: string;
  readonly log: string;
  readonly library: string;
  /** While a file of this name with the suffix `.sync` or `.write` exists, the disk fails. */
  readonly failing?: string;
}

export const recordingEnvironment = ({ root, log, library, failing }: Recorded): NodeJS.ProcessEnv => ({
  ...process.env,
  LD_PRELOAD: library,
  RECORDER_ROOT: root,
  RECORDER_LOG: log,
  ...(failing === undefined ? {} : { RECORDER_FAILING: failing }),
});
