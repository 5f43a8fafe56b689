// The README's blocks of code as programs against a server: the development account is replaced by the server's connection string.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../support/spawned-server.js';

const BLOCK = /^```(\w+)\n([\s\S]*?)^```$/gm;
const DEVELOPMENT = 'UseDevelopmentStorage=true';

export type Language = 'ts' | 'python' | 'csharp' | 'sh';

/** The blocks of a language, in their order. */
export async function readmeBlocks(language: Language): Promise<readonly string[]> {
  const text = await readFile(join(ROOT, 'README.md'), 'utf8');
  return [...text.matchAll(BLOCK)].flatMap(([, name, code = '']) => (name === language ? [code] : []));
}

/** JavaScript's clients need another option if the development account is not on its default ports. */
export const onServer = (code: string, language: Language, connectionString: string): string =>
  language === 'ts'
    ? code.replace(/'UseDevelopmentStorage=true'(, '\w+')?/g, (_, table: string = '') => {
        const rest = `${table}, { allowInsecureConnection: true }`;
        return `${JSON.stringify(connectionString)}${rest}`;
      })
    : code.replaceAll(DEVELOPMENT, connectionString);
