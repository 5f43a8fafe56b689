// What an editor completes at a caret, as the compiler's language service says it: TypeScript up to 6 has it as a function, TypeScript 7 as a server of the Language Server Protocol.
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

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

/** By the language service of the package of a compiler: of each text of a file, in which `|` is the caret. */
export function completionsByFunction(
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

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: { readonly items: readonly { readonly label: string }[] };
}

const END_OF_HEAD = '\r\n\r\n';

/** By the language server of the compiler `tsc`, of each text in the same way. */
export async function completionsByServer(
  tsc: string,
  file: string,
  texts: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const server = spawn(process.execPath, [tsc, '--lsp', '--stdio'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const send = (message: object): void => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}${END_OF_HEAD}${body}`);
  };
  const waiting = new Map<number, (answer: Message) => void>();
  let received = Buffer.alloc(0);
  /** Answers to what was asked; what the server asks, it gets no answer of use to. */
  const accept = (message: Message): void => {
    if (message.id === undefined) return;
    if (message.method === undefined) waiting.get(message.id)?.(message);
    else send({ id: message.id, result: null });
  };
  server.stdout.on('data', (bytes: Buffer) => {
    received = Buffer.concat([received, bytes]);
    for (let head = received.indexOf(END_OF_HEAD); head >= 0; head = received.indexOf(END_OF_HEAD)) {
      const start = head + END_OF_HEAD.length;
      const length = Number(/Content-Length: (\d+)/.exec(received.toString('latin1', 0, head))?.[1]);
      if (received.length < start + length) return;
      const body = received.toString('utf8', start, start + length);
      received = received.subarray(start + length);
      accept(JSON.parse(body));
    }
  });
  const ask = (id: number, method: string, params: object): Promise<Message> =>
    new Promise((resolve, reject) => {
      server.once('exit', () => reject(new Error(`The language server ended before it answered ${method}.`)));
      waiting.set(id, resolve);
      send({ id, method, params });
    });
  try {
    const uri = pathToFileURL(file).href;
    const rootUri = pathToFileURL(join(file, '..')).href;
    await ask(1, 'initialize', { processId: process.pid, rootUri, capabilities: {} });
    send({ method: 'initialized', params: {} });
    const found: (readonly string[])[] = [];
    for (const [at, text] of texts.entries()) {
      const textDocument = { uri, languageId: 'typescript', version: at + 1, text: programOf(text) };
      await writeFile(file, textDocument.text);
      send({ method: 'textDocument/didOpen', params: { textDocument } });
      const before = text.slice(0, text.indexOf('|')).split('\n');
      const position = { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
      const { result } = await ask(at + 2, 'textDocument/completion', { textDocument: { uri }, position });
      found.push(result?.items.map(({ label }) => label.replace(/\?$/, '')).sort() ?? []);
      send({ method: 'textDocument/didClose', params: { textDocument: { uri } } });
    }
    return found;
  } finally {
    server.kill();
  }
}
