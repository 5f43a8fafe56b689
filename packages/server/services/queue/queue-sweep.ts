// The sweep of queues while a server runs (queues/sweep.ts says what a step does).
import { Sweep, type SweepOptions } from '#queues';
import { BackgroundSteps } from '../../frame/background-steps.js';

export interface QueueSweepOptions extends SweepOptions {
  /** Told what fails for another reason than that the store has too much to do, or is closed. */
  readonly onFailure: (error: unknown) => void;
}

export class QueueSweep extends BackgroundSteps {
  constructor(options: QueueSweepOptions) {
    super(new Sweep(options), options.onFailure);
  }
}
