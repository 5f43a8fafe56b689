// The code that ran between two moments: V8's precise block coverage of this project's packages, in lines of TypeScript.
// Coverage must begin before a module is loaded, or V8 reports its functions only as a whole.
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { SourceMap } from 'node:module';
import { basename, dirname, relative, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { codeOf } from './source-text.js';

export interface ExecutedFile {
  /** From the root of the repository. */
  readonly path: string;
  /** Names of the functions that were called, and how often. */
  readonly functions: readonly { readonly name: string; readonly calls: number }[];
  /** Lines of TypeScript with some code that ran; lines of brackets alone do not count. */
  readonly lines: readonly number[];
}

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

interface FunctionCoverage {
  readonly functionName: string;
  readonly ranges: readonly Range[];
}

/** Timers that are due run in the next turns of the event loop. */
const SETTLE_MILLISECONDS = 10;
const BRACKETS_ALONE = /^[\s()[\]{};,]*$/;

/** How often each character ran. Ranges nest, and the innermost one counts. */
function countsOf(length: number, functions: readonly FunctionCoverage[]): Uint32Array {
  const counts = new Uint32Array(length);
  const ranges = functions.flatMap(({ ranges }) => ranges);
  ranges.sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  for (const { startOffset, endOffset, count } of ranges) counts.fill(count, startOffset, endOffset);
  return counts;
}

/** A compiled file. */
interface Script {
  readonly length: number;
  readonly source: string;
  /** Of each character of code the line of the source that it comes from; 0 for blanks, and for lines of brackets alone. */
  readonly lineOf: Uint32Array;
}

function readScript(script: string): Script {
  const compiled = readFileSync(script, 'utf8');
  const map = new SourceMap(JSON.parse(readFileSync(`${script}.map`, 'utf8')));
  const source = resolve(dirname(script), map.payload.sources[0] ?? '');
  const written = codeOf(readFileSync(source, 'utf8')).split('\n');
  const code = codeOf(compiled);
  const lineOf = new Uint32Array(compiled.length);
  let [line, column] = [0, 0];
  for (let at = 0; at < code.length; at++) {
    const character = code[at] ?? '';
    if (character.trim() !== '') {
      const entry = map.findEntry(line, column);
      if ('originalLine' in entry && !BRACKETS_ALONE.test(written[entry.originalLine] ?? ''))
        lineOf[at] = entry.originalLine + 1;
    }
    if (character === '\n') [line, column] = [line + 1, 0];
    else column++;
  }
  return { length: compiled.length, source, lineOf };
}

/** The lines of the TypeScript source whose compiled code ran. */
function linesOf({ length, lineOf }: Script, functions: readonly FunctionCoverage[]): number[] {
  const lines = new Set<number>();
  for (const [at, count] of countsOf(length, functions).entries()) {
    const line = count === 0 ? 0 : (lineOf[at] ?? 0);
    if (line > 0) lines.add(line);
  }
  return [...lines].sort((a, b) => a - b);
}

export class ExecutionRecorder {
  readonly #session = new Session();
  readonly #root: string;
  readonly #folder: string;
  readonly #scripts = new Map<string, Script>();

  /** @param folder of the compiled packages; the rest of the process does not count. */
  constructor(root: string, folder: string) {
    this.#root = root;
    this.#folder = folder;
  }

  /** Begins to count. Modules of interest are loaded after this. */
  async start(): Promise<void> {
    this.#session.connect();
    await this.#session.post('Profiler.enable');
    await this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /**
   * Leaves out what ran up to now: timers that came due while `take` was at work, which takes long, run first.
   */
  async skip(): Promise<void> {
    await wait(SETTLE_MILLISECONDS);
    await this.#session.post('Profiler.takePreciseCoverage');
  }

  /** What ran since it was last asked, file by file, the longest first. */
  async take(): Promise<ExecutedFile[]> {
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    const files: ExecutedFile[] = [];
    for (const { url, functions } of result) {
      const script = url.startsWith('file:') ? fileURLToPath(url) : '';
      if (!script.startsWith(this.#folder)) continue;
      const called = functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0);
      if (called.length === 0) continue;
      const lines = linesOf(this.#read(script), functions);
      const names = called.map(({ functionName, ranges }) => ({
        name: functionName === '' ? `(in ${basename(script)})` : functionName,
        calls: ranges[0]?.count ?? 0,
      }));
      files.push({ path: relative(this.#root, this.#read(script).source), functions: names, lines });
    }
    return files.sort((a, b) => b.lines.length - a.lines.length);
  }

  stop(): void {
    this.#session.disconnect();
  }

  #read(path: string): Script {
    const script = this.#scripts.get(path) ?? readScript(path);
    this.#scripts.set(path, script);
    return script;
  }
}
