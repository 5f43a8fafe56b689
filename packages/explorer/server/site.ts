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

interface SiteFile {
  readonly type: string;
  readonly bytes: Buffer;
  gzipped: Buffer | undefined;
}

export class Site {
  readonly #files = new Map<string, SiteFile>();

  constructor() {
    for (const entry of readdirSync(SITE_DIRECTORY, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      const name = path.slice(SITE_DIRECTORY.length).replaceAll('\\', '/');
      const type = TYPES[extname(name)] ?? 'application/octet-stream';
      this.#files.set(name, { type, bytes: readFileSync(path), gzipped: undefined });
    }
  }

  /** @throws Refusal if there is no such file. */
  send({ method, headers }: IncomingMessage, response: ServerResponse, path: string): void {
    const name = path === '/' ? '/index.html' : path;
    const file = this.#files.get(name);
    if (file === undefined) throw new Refusal(404, 'NotFound', 'There is no such page.');
    if (method !== 'GET' && method !== 'HEAD')
      throw new Refusal(405, 'BadMethod', 'The page is read by GET.');
    const takesGzip = /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''));
    if (takesGzip) file.gzipped ??= gzipSync(file.bytes, { level: 9 });
    const bytes = takesGzip ? (file.gzipped ?? file.bytes) : file.bytes;
    response.writeHead(200, {
      ...commonHeaders(name === '/index.html'),
      'content-type': file.type,
      'content-length': bytes.length,
      vary: 'accept-encoding',
      // The names of all other files change with their contents.
      'cache-control': name === '/index.html' ? 'no-cache' : 'public, max-age=31536000, immutable',
      ...(takesGzip && { 'content-encoding': 'gzip' }),
    });
    response.end(method === 'HEAD' ? undefined : bytes);
  }
}
