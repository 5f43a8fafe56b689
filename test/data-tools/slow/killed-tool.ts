// A data tool in a process of its own, for tests that kill it. Its argument is the task, as JSON.
import { copyTo, dumpTo, loadInto } from '../tool-run.js';

export interface Work {
  readonly tool: 'dump' | 'load' | 'copy' | 'mirror';
  readonly connectionString: string;
  readonly table: string;
  readonly to: string;
  /** For a dump the output, for a load the input. */
  readonly path: string;
  readonly journal: string;
  readonly resume: boolean;
  /** Queues with messages and blobs of the whole account instead of the table; the target of a copy and a load. */
  readonly contentsTo?: string;
}

async function run({ tool, connectionString: from, contentsTo, ...work }: Work): Promise<unknown> {
  const { table, to, path, journal, resume } = work;
  const contents = { queues: contentsTo !== undefined, blobs: contentsTo !== undefined };
  const tables = (name: string) => (contentsTo === undefined ? { tables: [name] } : {});
  const target = contentsTo ?? from;
  const mirror = tool === 'mirror';
  const takeMessages = contentsTo !== undefined && !mirror;
  if (tool === 'dump') return dumpTo(from, path, { ...tables(table), ...contents, takeMessages, resume });
  const written = { ...tables(`${table}=${to}`), ...contents, journal, resume };
  if (tool === 'load') return loadInto(target, path, written);
  return copyTo(from, target, { ...written, takeMessages, mirror });
}

await run(JSON.parse(process.argv[2] ?? '{}') as Work);
