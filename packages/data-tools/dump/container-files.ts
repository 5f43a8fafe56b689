// The files of a dump in a container of blobs, below a folder if the URL names one.
import { createReadStream, statSync } from 'node:fs';
import { blobPath } from '../blobs/blob-record.js';
import { BlobThere } from '../blobs/blob-there.js';
import { BlobWriter } from '../blobs/put-blob.js';
import { type ContainerPlace, containerPlace } from '../source/container-address.js';
import { Endpoint, type SourceContext } from '../source/endpoint.js';
import { ToolError } from '../source/tool-error.js';
import { listPages, nameIn } from '../source/xml-list.js';
import type { DumpFiles } from './dump-files.js';

export class ContainerFiles implements DumpFiles {
  readonly name: string;
  readonly #endpoint: Endpoint;
  readonly #place: ContainerPlace;

  constructor(place: ContainerPlace, context: SourceContext) {
    this.#place = place;
    this.#endpoint = new Endpoint(place.address, 'blob', context);
    this.name = `${this.#endpoint.name}/${place.container}${place.prefix && `/${place.prefix.slice(0, -1)}`}`;
  }

  #read(path: string): Promise<BlobThere | undefined> {
    return BlobThere.read(this.#endpoint, this.#place.container, this.#place.prefix + path);
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
    const { container, prefix } = this.#place;
    const query = { restype: 'container', ...(prefix !== '' && { prefix }) };
    const options = { path: `/${container}`, query, entries: 'Blobs', what: `a list of ${this.name}` };
    const found: string[] = [];
    for await (const { entries } of listPages(this.#endpoint, options))
      found.push(...entries.map(entry => nameIn(entry).slice(prefix.length)));
    return found;
  }

  /** Uploads a local file, replacing one of the same name. @throws ToolError */
  async put(path: string, file: string): Promise<void> {
    const { container, prefix } = this.#place;
    const writer = new BlobWriter(this.#endpoint, { container, onExisting: 'replace', mayContinue: false });
    const result = await writer.put({
      name: prefix + path,
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
    const { container, prefix } = this.#place;
    const sent = { method: 'DELETE', path: blobPath(container, prefix + path) };
    await this.#endpoint.expect(`the deletion of ${path}`, sent, 404);
  }
}

/** Undefined for a directory. @throws ToolError usage */
export function containerFiles(
  told: string,
  isSure: boolean,
  context: SourceContext,
): ContainerFiles | undefined {
  const place = containerPlace(told, isSure);
  return place && new ContainerFiles(place, context);
}
