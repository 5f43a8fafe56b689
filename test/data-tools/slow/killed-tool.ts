// A data tool in a process of its own, for tests that kill it. Its argument is the task, as JSON.
import { copy, dump, load, parseAddress } from '../../../packages/data-tools/index.js';
import { runTool } from '../tool-run.js';

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

async function runContents(
  { tool, connectionString, path, journal, resume }: Work,
  to: string,
): Promise<void> {
  const [source, target] = [parseAddress(connectionString), parseAddress(to)];
  const nothing = async (): Promise<void> => {};
  const choice = { all: false, names: [] };
  const wanted = { queues: true, blobs: true };
  await runTool(async (context, write) => {
    if (tool === 'dump')
      return dump({ source, choice, out: path, ...wanted, takeMessages: true, resume }, context, write);
    if (tool === 'load')
      return load(
        { target, input: path, names: [], ...wanted, resume, journal },
        context,
        process.stdin,
        nothing,
      );
    const mirror = tool === 'mirror';
    return copy(
      { source, target, choice, ...wanted, takeMessages: !mirror, mirror, journal, resume },
      context,
      nothing,
    );
  });
}

async function run(work: Work): Promise<void> {
  const { tool, connectionString, table, to, path, journal, resume, contentsTo } = work;
  if (contentsTo !== undefined) return runContents(work, contentsTo);
  const address = parseAddress(connectionString);
  const choice = { all: false, names: [table] };
  const nothing = async (): Promise<void> => {};
  await runTool(async (context, write) => {
    if (tool === 'dump') return dump({ source: address, choice, out: path, resume }, context, write);
    if (tool === 'load')
      return load(
        { target: address, input: path, names: [`${table}=${to}`], resume, journal },
        context,
        process.stdin,
        nothing,
      );
    const options = {
      source: address,
      target: address,
      choice: { all: false, names: [`${table}=${to}`] },
      journal,
      resume,
    };
    return copy({ ...options, mirror: tool === 'mirror' }, context, nothing);
  });
}

await run(JSON.parse(process.argv[2] ?? '{}') as Work);
