// Compiles a program as `tsc` would: up to TypeScript 6 by the compiler's functions in this process, which parses each declaration once for all programs and has its code warm; TypeScript 7 by its command.
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { runToEnd } from '../../support/spawned-server.js';

interface Diagnostics {
  readonly length: number;
}
interface Host {
  getSourceFile(path: string, ...rest: readonly unknown[]): object | undefined;
}
interface Compiler {
  readonly sys: object;
  createCompilerHost(options: object): Host;
  createProgram(files: readonly string[], options: object, host: Host): { emit(): unknown };
  getPreEmitDiagnostics(program: object): Diagnostics;
  formatDiagnostics(diagnostics: Diagnostics, host: Host): string;
  parseJsonConfigFileContent(
    config: object,
    host: object,
    folder: string,
  ): { readonly fileNames: readonly string[]; readonly options: object; readonly errors: Diagnostics };
}

export interface Program {
  readonly folder: string;
  readonly files: readonly string[];
  readonly options: object;
}

/** Gives what the compiler says against it. Files that `parsed` has are not read again. */
export function compileByFunction(
  compilerPackage: string,
  { folder, files, options: compilerOptions }: Program,
  parsed: Map<string, object | undefined>,
): string {
  const ts: Compiler = createRequire(import.meta.url)(compilerPackage);
  const { options, fileNames, errors } = ts.parseJsonConfigFileContent(
    { compilerOptions, files },
    ts.sys,
    folder,
  );
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (path, ...rest) => {
    // The program's own files are others each time.
    if (!path.includes('/node_modules/')) return getSourceFile(path, ...rest);
    if (!parsed.has(path)) parsed.set(path, getSourceFile(path, ...rest));
    return parsed.get(path);
  };
  const program = ts.createProgram(fileNames, options, host);
  const found =
    ts.formatDiagnostics(errors, host) + ts.formatDiagnostics(ts.getPreEmitDiagnostics(program), host);
  program.emit();
  return found;
}

/** The same, by the command `tsc`. */
export async function compileByCommand(
  tsc: string,
  { folder, files, options: compilerOptions }: Program,
): Promise<string> {
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const { code, stdout } = await runToEnd(['-p', folder], { command: [process.execPath, tsc] });
  return code === 0 ? stdout : `${stdout}\nIt ended with ${code}.`;
}

/** The package of a compiler's command. */
export const packageOf = (tsc: string): string => dirname(dirname(tsc));
