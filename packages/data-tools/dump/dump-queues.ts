// The queues of a dump: names, metadata and policies; messages only if asked for, since reading takes them
// (contents/taken-queue.ts).

import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TakenQueue, type TakeStep } from '../contents/taken-queue.js';
import { queuesOf, type TakenMessage } from '../queues/queue-account.js';
import type { QueueRecord } from '../queues/queue-record.js';
import type { ToolContext } from '../run/context.js';
import { install } from '../run/install.js';
import type { Journal } from '../run/journal.js';
import type { Endpoint } from '../source/endpoint.js';
import { formatMessage, messagesPath } from './blob-index.js';
import type { DumpEntry, QueueEntry } from './dump-journal.js';
import { writePieces } from './finish.js';
import type { DumpedQueue, Sum } from './manifest.js';

interface QueueDumpOptions {
  readonly directory: string;
  readonly work: string;
  readonly endpoint: Endpoint;
  readonly journal: Journal<DumpEntry>;
  readonly entries: readonly QueueEntry[];
  readonly takesMessages: boolean;
  readonly context: ToolContext;
}

export class QueueDump {
  readonly #options: QueueDumpOptions;
  #queues: readonly QueueRecord[] | undefined;
  /** By the name of the queue. */
  readonly #taken = new Map<string, TakenQueue>();
  readonly #earlier = new Map<string, TakeStep[]>();

  constructor(options: QueueDumpOptions) {
    this.#options = options;
    for (const entry of options.entries) {
      if (entry.kind === 'queues') this.#queues = entry.queues;
      else this.#earlierOf(entry.queue).push(entry);
    }
  }

  #earlierOf(queue: string): TakeStep[] {
    const steps = this.#earlier.get(queue) ?? [];
    this.#earlier.set(queue, steps);
    return steps;
  }

  #queue(queue: string): TakenQueue {
    const known = this.#taken.get(queue);
    if (known !== undefined) return known;
    const { endpoint, context, journal } = this.#options;
    const onStep = (step: TakeStep): void => journal.append({ kind: 'messages', queue, ...step });
    const made = new TakenQueue({ endpoint, queue, earlier: this.#earlierOf(queue), onStep, context });
    this.#taken.set(queue, made);
    return made;
  }

  /** @throws ToolError */
  async read(): Promise<void> {
    const { endpoint, journal, context, takesMessages } = this.#options;
    if (this.#queues === undefined) {
      this.#queues = await queuesOf(endpoint);
      journal.append({ kind: 'queues', queues: this.#queues });
    }
    for (const { name } of this.#queues) {
      context.reporter.range('begins');
      await (takesMessages ? this.#queue(name).take() : this.#queue(name).leave());
      context.reporter.range('done');
    }
  }

  async finish(add: (sum: Sum) => void): Promise<readonly DumpedQueue[]> {
    const { directory, work, takesMessages } = this.#options;
    const dumped: DumpedQueue[] = [];
    for (const queue of this.#queues ?? []) {
      if (!takesMessages) {
        dumped.push({ ...queue, messages: null, files: [] });
        continue;
      }
      const taken = this.#queue(queue.name).messages;
      const path = messagesPath(queue.name);
      const target = join(directory, path);
      mkdirSync(dirname(target), { recursive: true });
      const written = await writePieces(join(work, 'messages'), lines(taken));
      install(join(work, 'messages'), target);
      add({ path, sha256: written.sha256 });
      dumped.push({ ...queue, messages: taken.length, files: [{ path, rows: taken.length, ...written }] });
    }
    return dumped;
  }
}

async function* lines(messages: readonly TakenMessage[]): AsyncGenerator<string, void> {
  for (const message of messages) yield formatMessage(message);
}
