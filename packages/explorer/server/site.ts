// The built page's files: read once, gzipped on first use. `npm run build` writes them next to the compiled server.
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { commonHeaders, Refusal } from './answer.js';

export const SITE_DIRECTORY = fileURLToPath(new URL('../site', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

export class Site {
  readonly #files = new Map<string, Buffer>();
  /** On first use; every browser takes it. */
  readonly #gzipped = new Map<string, Buffer>();

  constructor() {
    for (const entry of readdirSync(SITE_DIRECTORY, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      const name = path.slice(SITE_DIRECTORY.length).replaceAll('\\', '/');
      this.#files.set(name, readFileSync(path));
    }
  }

  /** @throws Refusal if there is no such file. */
  send({ method }: IncomingMessage, response: ServerResponse, path: string): void {
    const isPage = path === '/' || path === '/index.html';
    const name = isPage ? '/index.html' : path;
    const file = this.#files.get(name);
    if (file === undefined) throw new Refusal(404, 'NotFound', 'There is no such page.');
    if (method !== 'GET' && method !== 'HEAD')
      throw new Refusal(405, 'BadMethod', 'The page is read by GET.');
    const bytes = this.#gzipped.get(name) ?? gzipSync(file, { level: 9 });
    this.#gzipped.set(name, bytes);
    response.writeHead(200, {
      ...commonHeaders(isPage),
      'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
      'content-encoding': 'gzip',
      'content-length': bytes.length,
      // The names of all other files change with their contents.
      'cache-control': isPage ? 'no-cache' : 'public, max-age=31536000, immutable',
    });
    response.end(method === 'HEAD' ? undefined : bytes);
  }
}
