// What an editor completes at a caret, as the language service of a compiler says it, up to TypeScript 6.
import { createRequire } from 'node:module';
import { dirname } from 'node:path';

interface LanguageService {
  getCompletionsAtPosition(
    file: string,
    at: number,
    options: object,
  ): { readonly entries: readonly { readonly name: string }[] } | undefined;
}
interface Compiler {
  readonly sys: Readonly<
    Record<
      'fileExists' | 'readFile' | 'readDirectory' | 'directoryExists' | 'getDirectories',
      (path: string) => never
    >
  >;
  readonly ScriptSnapshot: { fromString(text: string): unknown };
  getDefaultLibFilePath(options: object): string;
  createLanguageService(host: object): LanguageService;
}

const SETTINGS = { strict: true, module: 199, moduleResolution: 99, target: 9, types: [] };

/** What a file has where the caret is taken for nothing. */
const programOf = (text: string): string => text.replace('|', '');

/** By the package of a compiler: of each text of a file, in which `|` is the caret. */
export function completionsOf(
  compilerPackage: string,
  file: string,
  texts: readonly string[],
): readonly (readonly string[])[] {
  const { sys, ...ts }: Compiler = createRequire(import.meta.url)(compilerPackage);
  let version = 0;
  const host = {
    ...sys,
    useCaseSensitiveFileNames: () => true,
    getCompilationSettings: () => SETTINGS,
    getScriptFileNames: () => [file],
    getScriptVersion: (path: string) => (path === file ? String(version) : '0'),
    getScriptSnapshot: (path: string) =>
      path === file
        ? ts.ScriptSnapshot.fromString(programOf(texts[version] ?? ''))
        : sys.fileExists(path) && ts.ScriptSnapshot.fromString(sys.readFile(path)),
    getCurrentDirectory: () => dirname(file),
    getDefaultLibFileName: () => ts.getDefaultLibFilePath(SETTINGS),
    fileExists: (path: string) => path === file || sys.fileExists(path),
  };
  const service = ts.createLanguageService(host);
  return texts.map((text, at) => {
    version = at;
    const found = service.getCompletionsAtPosition(file, text.indexOf('|'), {});
    return found?.entries.map(({ name }) => name).sort() ?? [];
  });
}
