// The code that ran between two moments: V8's precise block coverage of this project's packages, in lines of TypeScript.
// Coverage must begin before a module is loaded, or V8 reports its functions only as a whole.
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { SourceMap } from 'node:module';
import { basename, dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { codeOf } from './source-text.js';

export interface ExecutedFile {
  /** From the root of the repository. */
  readonly path: string;
  /** Names of the functions that were called, and how often. */
  readonly functions: readonly { readonly name: string; readonly calls: number }[];
  /** Lines of TypeScript of which some code ran; lines of brackets alone do not count. */
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

const BRACKETS_ALONE = /^[\s()[\]{};,]*$/;

/** How often each character ran. Ranges nest, and the innermost one counts. */
function countsOf(length: number, functions: readonly FunctionCoverage[]): Uint32Array {
  const counts = new Uint32Array(length);
  const ranges = functions.flatMap(({ ranges }) => ranges);
  ranges.sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  for (const { startOffset, endOffset, count } of ranges) counts.fill(count, startOffset, endOffset);
  return counts;
}

/** The lines of the TypeScript source whose compiled code ran. */
function linesOf(
  script: string,
  functions: readonly FunctionCoverage[],
): { source: string; lines: number[] } {
  const compiled = readFileSync(script, 'utf8');
  const map = new SourceMap(JSON.parse(readFileSync(`${script}.map`, 'utf8')));
  const counts = countsOf(compiled.length, functions);
  const code = codeOf(compiled);
  const lines = new Set<number>();
  let [line, column] = [0, 0];
  for (let at = 0; at < code.length; at++) {
    const character = code[at] ?? '';
    if (counts[at] !== 0 && character.trim() !== '') {
      const entry = map.findEntry(line, column);
      if ('originalLine' in entry) lines.add(entry.originalLine + 1);
    }
    if (character === '\n') [line, column] = [line + 1, 0];
    else column++;
  }
  const source = resolve(dirname(script), map.payload.sources[0] ?? '');
  const written = codeOf(readFileSync(source, 'utf8')).split('\n');
  const telling = [...lines].filter(number => !BRACKETS_ALONE.test(written[number - 1] ?? ''));
  return { source, lines: telling.sort((a, b) => a - b) };
}

export class ExecutionRecorder {
  readonly #session = new Session();
  readonly #root: string;
  readonly #folder: string;

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

  /** What ran since it was last asked, file by file, the longest first. */
  async take(): Promise<ExecutedFile[]> {
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    const files: ExecutedFile[] = [];
    for (const { url, functions } of result) {
      const script = url.startsWith('file:') ? fileURLToPath(url) : '';
      if (!script.startsWith(this.#folder)) continue;
      const called = functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0);
      if (called.length === 0) continue;
      const { source, lines } = linesOf(script, functions);
      const names = called.map(({ functionName, ranges }) => ({
        name: functionName === '' ? `(in ${basename(script)})` : functionName,
        calls: ranges[0]?.count ?? 0,
      }));
      files.push({ path: relative(this.#root, source), functions: names, lines });
    }
    return files.sort((a, b) => b.lines.length - a.lines.length);
  }

  stop(): void {
    this.#session.disconnect();
  }
}
