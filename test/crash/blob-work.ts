// The clients of blobs: writers with a container of their own each, several that contend for the blobs of one
// container, and readers of all. Those that contend write with the ETag that they saw last, or while they have the
// lease, or append at the place that they take for the end.
import { setTimeout as sleep } from 'node:timers/promises';
import type { BlobAnswer, BlobCall } from '../blobs/blob-call.js';
import { blobFaults } from '../blobs/blob-judge.js';
import { BlobLedger } from '../blobs/blob-ledger.js';
import { NAMES, type Step } from '../blobs/blob-model.js';
import type { SentBlobCall } from '../blobs/blob-wire.js';
import { someRead, someSteps } from '../blobs/some-step.js';
import type { Courses } from '../histories/explain.js';
import { type Ask, Hand } from '../histories/hand.js';
import { faultTexts } from '../histories/history.js';
import type { Ledger } from '../histories/ledger.js';
import type { Watch } from '../histories/trigger.js';
import { from, weighted } from '../random/arbitrary.js';
import type { Sender } from '../support/worker-processes.js';
import { Work, type WorkOptions } from './work.js';

const CONTEST = 'contest';
const CONTESTANTS = 3;
const READERS = 2;
const PAUSE_MILLISECONDS = 2;
const [PRIZE, LOG, REST] = [0, 1, 2];
const LENGTH = from([100, 20_000]);
const STEPS = someSteps();
const COPYING = someSteps({ lone: ['copy'] });

type AskBlobs = Ask<BlobCall, BlobAnswer>;

const leaseOf = (client: number): string => `00000000-0000-4000-8000-${String(client).padStart(12, '0')}`;

export class BlobWork extends Work<BlobCall, BlobAnswer, SentBlobCall> {
  declare readonly ledger: BlobLedger;
  readonly #containers = new Set<string>();
  readonly #made = new Set<string>();
  #fills = 0;

  constructor({ draw, journal, isOfOne }: WorkOptions) {
    super(draw, new BlobLedger(journal, { isOfOne }));
  }

  /** One for each container. */
  writers(containers: readonly string[], port: number, watch: Watch): readonly Hand<BlobCall, BlobAnswer>[] {
    return containers.map(container =>
      this.#hand(port, watch, container, async ask => {
        for (const step of this.draw(COPYING)) await ask({ kind: 'write', container, step });
      }),
    );
  }

  contestants(port: number, watch: Watch): readonly Hand<BlobCall, BlobAnswer>[] {
    return Array.from({ length: CONTESTANTS }, (_, client) =>
      this.#hand(port, watch, CONTEST, ask => this.#contend(ask, leaseOf(client + 1))),
    );
  }

  readers(port: number, watch: Watch): readonly Hand<BlobCall, BlobAnswer>[] {
    const turn = async (ask: AskBlobs): Promise<void> => {
      const container = this.draw(from([...this.#containers]));
      await ask({ kind: 'read', container, ...this.draw(someRead) });
      await sleep(PAUSE_MILLISECONDS);
    };
    return Array.from(
      { length: READERS },
      () => new Hand({ port: () => port, ledger: this.ledger, watch, turn }),
    );
  }

  override async judge(sender: Sender): Promise<readonly string[]> {
    const faults = await super.judge(sender);
    if (faults.length === 0) this.ledger.history = [];
    return faults;
  }

  protected override async read(
    sender: Sender,
    ledger: Ledger<BlobCall, BlobAnswer, SentBlobCall>,
  ): Promise<void> {
    for (const container of this.#containers) {
      const { code } = await this.answerOf(sender, { kind: 'show', container }, ledger);
      for (const blob of code === undefined ? NAMES : [])
        await this.answerOf(sender, { kind: 'read', container, blob, range: undefined }, ledger);
    }
  }

  protected override faultsOf(history: readonly SentBlobCall[], courses: Courses): readonly string[] {
    return faultTexts('blob', blobFaults(history, courses));
  }

  /** Makes the container first. */
  #hand(
    port: number,
    watch: Watch,
    container: string,
    turn: (ask: AskBlobs) => Promise<void>,
  ): Hand<BlobCall, BlobAnswer> {
    this.#containers.add(container);
    return new Hand({
      port: () => port,
      ledger: this.ledger,
      watch,
      turn: async (ask: AskBlobs) => {
        if (this.#made.has(container)) await turn(ask);
        else if (await ask({ kind: 'make', container })) this.#made.add(container);
      },
    });
  }

  async #contend(ask: AskBlobs, lease: string): Promise<void> {
    const write = (step: Partial<Step> & Pick<Step, 'kind' | 'blob'>): Promise<BlobAnswer | undefined> => {
      this.#fills += 1;
      const size = this.draw(LENGTH) + Math.floor(this.#fills / 255);
      return ask({
        kind: 'write',
        container: CONTEST,
        step: { other: 0, size, fill: this.#fills % 255, ...step },
      });
    };
    await this.draw(
      weighted<() => Promise<unknown>>(
        [2, () => write({ kind: 'put', blob: PRIZE, ifMatch: this.ledger.etagOf(CONTEST, PRIZE) })],
        [
          2,
          async () => {
            const acquired = await write({ kind: 'lease', blob: PRIZE, fill: 1, lease });
            if (acquired === undefined || acquired.code !== undefined) return;
            await write({ kind: 'put', blob: PRIZE, lease });
            await write({ kind: 'lease', blob: PRIZE, fill: 0, lease });
          },
        ],
        [1, () => write({ kind: 'makeAppend', blob: LOG })],
        [4, () => write({ kind: 'append', blob: LOG })],
        [4, () => write({ kind: 'append', blob: LOG, at: this.ledger.lengthOf(CONTEST, LOG) })],
        [
          2,
          async () => {
            for (const step of this.draw(STEPS))
              await write({ ...step, blob: step.blob === PRIZE ? REST : step.blob });
          },
        ],
      ),
    )();
  }
}
