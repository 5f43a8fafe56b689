// The journal of a run: a file of JSON lines, appended to, from which a run that was killed goes on. The first line says which run it belongs to: its arguments, without addresses' secrets. A last
// line that was cut is ignored. A journal of other arguments is refused (exit 2), and one that is finished is gone: who ends a run removes it.
import { closeSync, fsyncSync, openSync, readFileSync, rmSync, truncateSync, writeSync } from 'node:fs';
import { systemCodeOf, ToolError } from '../source/tool-error.js';

const VERSION = 1;

/** What makes a run the same: option names and what they were given. */
export type RunArguments = Readonly<Record<string, unknown>>;

export interface JournalOptions {
  readonly path: string;
  /** The tool. */
  readonly tool: string;
  readonly arguments: RunArguments;
  /** Whether entries that are there are gone on from; otherwise the journal begins anew. */
  readonly resume: boolean;
}

interface Header {
  readonly journal: string;
  readonly version: number;
  readonly arguments: RunArguments;
}

export class Journal<Entry> {
  readonly #path: string;
  readonly #file: number;
  /** What an earlier process of the run wrote. */
  readonly entries: readonly Entry[];

  private constructor(path: string, file: number, entries: readonly Entry[]) {
    this.#path = path;
    this.#file = file;
    this.entries = entries;
  }

  /** @throws ToolError usage, where a journal of other arguments is to be resumed. */
  static open<Entry>(options: JournalOptions): Journal<Entry> {
    const { path, tool, resume } = options;
    const header: Header = { journal: tool, version: VERSION, arguments: options.arguments };
    const found = resume ? linesIn(path) : undefined;
    const [first, ...rest] = found?.lines ?? [];
    if (found === undefined || first === undefined) {
      const file = openSync(path, 'w');
      const journal = new Journal<Entry>(path, file, []);
      journal.append(header);
      return journal;
    }
    check(first as Header, header, path);
    truncateSync(path, found.bytes);
    return new Journal<Entry>(path, openSync(path, 'a'), rest as Entry[]);
  }

  /** Whole or not at all: a line that is cut by a kill is read over. */
  append(entry: Entry | Header): void {
    const bytes = Buffer.from(`${JSON.stringify(entry)}\n`);
    for (let written = 0; written < bytes.length; )
      written += writeSync(this.#file, bytes, written, bytes.length - written);
  }

  /** What was appended outlives a power cut. */
  sync(): void {
    fsyncSync(this.#file);
  }

  close(): void {
    closeSync(this.#file);
  }

  /** The run is finished. */
  remove(): void {
    this.close();
    rmSync(this.#path, { force: true });
  }
}

/** The lines that are whole, and how many bytes they are; undefined without a file. */
function linesIn(path: string): { lines: unknown[]; bytes: number } | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'latin1');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  const lines: unknown[] = [];
  let bytes = 0;
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', bytes)) {
    try {
      lines.push(JSON.parse(Buffer.from(text.slice(bytes, end), 'latin1').toString('utf8')));
    } catch {
      break;
    }
    bytes = end + 1;
  }
  return { lines, bytes };
}

function check(found: Header, wanted: Header, path: string): void {
  if (found.journal !== wanted.journal || found.version !== wanted.version)
    throw new ToolError(
      'usage',
      `${path} is a journal of ${found.journal ?? 'another tool'}, not of this ${wanted.journal}.`,
    );
  const changed = Object.keys({ ...found.arguments, ...wanted.arguments }).filter(
    name => JSON.stringify(found.arguments[name]) !== JSON.stringify(wanted.arguments[name]),
  );
  if (changed.length > 0)
    throw new ToolError(
      'usage',
      `--resume goes on with the same arguments; ${changed.join(', ')} ${changed.length === 1 ? 'differs' : 'differ'} from those of the run in ${path}.`,
    );
}
