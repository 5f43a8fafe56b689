// Compiles a program by the command of a compiler.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runToEnd } from '../../support/spawned-server.js';

interface Program {
  readonly folder: string;
  readonly files: readonly string[];
  readonly options: object;
}

/** Gives what the compiler prints: what it says against the program, and the figures that the options ask for. */
export async function compileByCommand(
  tsc: string,
  { folder, files, options: compilerOptions }: Program,
): Promise<string> {
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const { code, stdout } = await runToEnd(['-p', folder], { command: [process.execPath, tsc] });
  return code === 0 ? stdout : `${stdout}\nIt ended with ${code}.`;
}
