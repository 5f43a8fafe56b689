// The ledger of blobs, with what clients learn from it: the ETags and lengths that they saw last.
import type { Journal } from '../histories/journal.js';
import { Ledger, type LedgerOptions } from '../histories/ledger.js';
import type { BlobAnswer, BlobCall } from './blob-call.js';
import { nameOf } from './blob-model.js';
import { BLOB_WIRE, type SentBlobCall } from './blob-wire.js';

export class BlobLedger extends Ledger<BlobCall, BlobAnswer, SentBlobCall> {
  readonly #etags = new Map<string, string>();
  readonly #lengths = new Map<string, number>();

  constructor(journal: Pick<Journal, 'note'>, options?: LedgerOptions) {
    super(BLOB_WIRE, journal, options);
  }

  etagOf(container: string, blob: number): string | undefined {
    return this.#etags.get(`${container}/${nameOf(blob)}`);
  }

  lengthOf(container: string, blob: number): number {
    return this.#lengths.get(`${container}/${nameOf(blob)}`) ?? 0;
  }

  protected override learn(call: BlobCall, { etag, offset }: BlobAnswer): void {
    if (etag === undefined || (call.kind !== 'write' && call.kind !== 'read')) return;
    const name = `${call.container}/${call.kind === 'read' ? call.blob : nameOf(call.step.blob)}`;
    this.#etags.set(name, etag);
    if (call.kind === 'write') this.#lengths.set(name, offset === undefined ? 0 : offset + call.step.size);
  }
}
