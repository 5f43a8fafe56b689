// A dump in a container of blobs, given instead of a directory: the URL of the container, or of a folder in it, with a
// SAS. A dump is made in a local directory, from which --resume continues, then uploaded, and last of all SHA256SUMS,
// without which it is unfinished. No name here has a signature.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { BlobThere } from '../blobs/blob-content.js';
import { blobPath } from '../blobs/blob-record.js';
import { BlobWriter } from '../blobs/put-blob.js';
import type { ToolContext } from '../run/context.js';
import { makeDirectory } from '../run/files.js';
import { inParallel } from '../run/in-parallel.js';
import { Address, checkedUrl, isPathStyle, toldText } from '../source/address.js';
import { Endpoint, type SourceContext } from '../source/endpoint.js';
import { ToolError } from '../source/tool-error.js';
import { listPages, nameIn } from '../source/xml-list.js';
import { type DumpFiles, FolderFiles } from './dump-files.js';
import { MANIFEST_PATH, SUMS_PATH } from './manifest.js';

const BLOB_PORT = '10000';
const URL_START = /^https?:\/\//i;

/** Whether a URL with a SAS is one of the Blob service: the table service has such URLs too. */
const isOfBlobs = (url: URL): boolean =>
  url.searchParams.get('sr') === 'c' || url.hostname.split('.')[1] === 'blob' || url.port === BLOB_PORT;

/**
 * Undefined if it is not a URL, and so a directory.
 *
 * @param isSure whether a URL can be nothing else here.
 * @throws ToolError usage, for a URL without a SAS or a container, and for that of a table. No message repeats it.
 */
export function containerFiles(
  told: string,
  isSure: boolean,
  context: SourceContext,
): ContainerFiles | undefined {
  const isFile = told.startsWith('@');
  if (!isFile && !URL_START.test(told)) return undefined;
  const text = toldText(told).trim();
  if (!URL_START.test(text)) return undefined;
  const url = checkedUrl(text, 'The address of the container');
  if (!isSure && !isOfBlobs(url)) return undefined;
  if (url.searchParams.has('tn'))
    throw new ToolError('usage', `The URL of ${url.host} has the SAS of a table, not of a container.`);
  const segments = url.pathname
    .split('/')
    .filter(each => each !== '')
    .map(decodeURIComponent);
  const account = isPathStyle(url) ? segments.shift() : url.hostname.split('.')[0];
  const [container, ...folders] = segments;
  if (account === undefined || container === undefined) {
    if (!isSure) return undefined;
    throw new ToolError('usage', `The URL of ${url.host} names no container.`);
  }
  if (!url.searchParams.has('sig'))
    throw new ToolError(
      'usage',
      `The URL of container ${container} at ${url.host} has no SAS: it lacks sig.`,
    );
  const blob = isPathStyle(url) ? `${url.origin}/${account}` : url.origin;
  const address = new Address(account, { blob }, { sas: url.search.slice(1) });
  const endpoint = new Endpoint(address, 'blob', context);
  return new ContainerFiles(endpoint, container, folders.map(each => `${each}/`).join(''));
}

class ContainerFiles implements DumpFiles {
  readonly name: string;
  readonly #endpoint: Endpoint;
  readonly #container: string;
  readonly #prefix: string;

  /** @param prefix empty, or a folder with its slash. */
  constructor(endpoint: Endpoint, container: string, prefix: string) {
    this.#endpoint = endpoint;
    this.#container = container;
    this.#prefix = prefix;
    this.name = `${endpoint.name}/${container}${prefix && `/${prefix.slice(0, -1)}`}`;
  }

  #read(path: string): Promise<BlobThere | undefined> {
    return BlobThere.read(this.#endpoint, this.#container, this.#prefix + path);
  }

  async has(path: string): Promise<boolean> {
    return (await this.#read(path)) !== undefined;
  }

  async *pieces(path: string): AsyncGenerator<Buffer, void> {
    const blob = await this.#read(path);
    if (blob === undefined) throw new ToolError('notThere', `${path} is not in ${this.name}.`);
    yield* blob.content();
  }

  async paths(): Promise<readonly string[]> {
    const [container, prefix] = [this.#container, this.#prefix];
    const query = { restype: 'container', ...(prefix !== '' && { prefix }) };
    const options = { path: `/${container}`, query, entries: 'Blobs', what: `a list of ${this.name}` };
    const found: string[] = [];
    for await (const { entries } of listPages(this.#endpoint, options))
      found.push(...entries.map(entry => nameIn(entry).slice(prefix.length)));
    return found;
  }

  /** Uploads a local file, replacing one of the same name. @throws ToolError */
  async put(path: string, file: string): Promise<void> {
    const container = this.#container;
    const writer = new BlobWriter(this.#endpoint, { container, onExisting: 'replace', mayContinue: false });
    const result = await writer.put({
      name: this.#prefix + path,
      type: 'BlockBlob',
      bytes: statSync(file).size,
      headers: {},
      metadata: {},
      tags: {},
      tier: null,
      content: () => createReadStream(file),
    });
    if (result.kind === 'refused')
      throw new ToolError('denied', `${this.name} does not take ${path}: ${result.reason}.`);
  }

  /** One that is already gone counts as deleted. @throws ToolError */
  async remove(path: string): Promise<void> {
    const sent = { method: 'DELETE', path: blobPath(this.#container, this.#prefix + path) };
    await this.#endpoint.expect(`the deletion of ${path}`, sent, 404);
  }
}

/** Different for each place: a resumed dump finds its own. */
const workOf = ({ name }: ContainerFiles): string =>
  join(tmpdir(), `shelfmark-dump-${createHash('sha256').update(name).digest('hex').slice(0, 16)}`);

/** @param dumpTo makes the dump in a directory. @throws ToolError */
export async function dumpToContainer<T>(
  files: ContainerFiles,
  resume: boolean,
  dumpTo: (directory: string) => Promise<T>,
  { parallel, source }: ToolContext,
): Promise<T> {
  const directory = workOf(files);
  const isFinished = await files.has(SUMS_PATH);
  const there = await files.paths();
  if (!resume && there.length > 0)
    throw new ToolError(
      'conflict',
      `${files.name} is not empty: give another folder of it${isFinished ? '' : ', or go on with --resume'}.`,
    );
  if (isFinished) return lookAt(files, dumpTo);
  // In a place that all users of the machine share.
  makeDirectory(directory, 0o700);
  const result = await dumpTo(directory);
  const paths = (await new FolderFiles(directory).paths()).filter(path => path !== SUMS_PATH);
  const wanted = new Set(paths);
  await inParallel(paths, parallel, async path => {
    source.signal?.throwIfAborted();
    await files.put(path, join(directory, path));
  });
  // Files that a killed run uploaded and that are now obsolete.
  for (const path of there) if (!wanted.has(path)) await files.remove(path);
  await files.put(SUMS_PATH, join(directory, SUMS_PATH));
  rmSync(directory, { recursive: true, force: true });
  return result;
}

/**
 * A finished dump is not started again: its manifest alone shows whether it is this one. Uses a directory of its own,
 * which no other run resumes.
 */
async function lookAt<T>(files: ContainerFiles, dumpTo: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'shelfmark-look-'));
  try {
    for (const path of [MANIFEST_PATH, SUMS_PATH])
      await pipeline(files.pieces(path), createWriteStream(join(directory, path)));
    return await dumpTo(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
