// The clients of all services, and what is wrong with a copy of the files that they wrote.
import { openStore } from '../histories/direct-sender.js';
import type { Moment } from '../histories/history.js';
import { BlobWork } from './blob-work.js';
import { QueueWork } from './queue-work.js';
import { TableWork } from './table-work.js';
import type { WorkOptions } from './work.js';

export class Works {
  readonly table: TableWork;
  readonly queue: QueueWork;
  readonly blob: BlobWork;

  constructor(options: WorkOptions) {
    this.table = new TableWork(options);
    this.queue = new QueueWork(options);
    this.blob = new BlobWork(options);
  }

  get all(): readonly [TableWork, QueueWork, BlobWork] {
    return [this.table, this.queue, this.blob];
  }

  /** What was wrong with answers. */
  get faults(): readonly string[] {
    return this.all.flatMap(({ ledger }) => ledger.faults);
  }

  /** What is wrong with the store of a directory that no server has open. */
  async faultsOfCopy(directory: string, moment: Moment): Promise<readonly string[]> {
    const store = await openStore(directory);
    try {
      return [
        ...(await this.table.judgeCopy(store.table, moment)),
        ...(await this.queue.judgeCopy(store.queue, moment)),
        ...(await this.blob.judgeCopy(store.blob, moment)),
      ];
    } finally {
      await store.close();
    }
  }
}
