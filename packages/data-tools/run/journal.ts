// The journal of a run: a file of JSON lines, appended to, from which a killed run is resumed. The first line
// identifies the run: its arguments, without addresses' secrets. A truncated last line is ignored. A journal of other
// arguments is refused (exit 2), and that of a finished run is removed.
import { closeSync, fsyncSync, openSync, readFileSync, rmSync, truncateSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCodeOf, ToolError } from '../source/tool-error.js';
import { syncFile, takeLock } from './files.js';

const VERSION = 4;

/** The identity of a run: option names and their values. */
export type RunArguments = Readonly<Record<string, unknown>>;

interface JournalOptions {
  readonly path: string;
  /** The tool. */
  readonly tool: string;
  readonly arguments: RunArguments;
  /** Whether to resume from existing entries; otherwise the journal begins again. */
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
  /** Entries of an earlier process of the run. */
  readonly entries: readonly Entry[];

  private constructor(path: string, file: number, entries: readonly Entry[]) {
    this.#path = path;
    this.#file = file;
    this.entries = entries;
  }

  /** @throws ToolError usage, when resuming a journal of other arguments. */
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

  /** Whole or not at all: a line that a kill truncates is skipped. */
  append(entry: Entry | Header): void {
    const bytes = Buffer.from(`${JSON.stringify(entry)}\n`);
    for (let written = 0; written < bytes.length; )
      written += writeSync(this.#file, bytes, written, bytes.length - written);
  }

  /** What was appended survives a power cut. */
  sync(): void {
    fsyncSync(this.#file);
    syncFile(dirname(this.#path));
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

/** Runs the work with a journal of its own, which is removed when it is done. */
export async function withJournal<Entry, T>(
  options: JournalOptions & { readonly what: string },
  work: (journal: Journal<Entry>) => Promise<T>,
): Promise<T> {
  const unlock = await takeLock(`${options.path}.lock`, options.what);
  try {
    const journal = Journal.open<Entry>(options);
    const result = await work(journal);
    journal.remove();
    return result;
  } finally {
    unlock();
  }
}

/** The whole lines, and their length in bytes; undefined without a file. */
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
  if (found.journal === wanted.journal && found.version !== wanted.version)
    throw new ToolError(
      'usage',
      `${path} is a journal of another version of Shelfmark. Finish the run with that version, or begin again: without --resume, and a dump in another directory.`,
    );
  if (found.journal !== wanted.journal)
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
