// The sweep of queues while a server runs (queues/sweep.ts describes a step).
import { Sweep, type SweepOptions } from '#queues';
import { BackgroundSteps } from '../../frame/background-steps.js';

interface QueueSweepOptions extends SweepOptions {
  /** Called with errors other than a busy or a closed store. */
  readonly onFailure: (error: unknown) => void;
}

export class QueueSweep extends BackgroundSteps {
  constructor(options: QueueSweepOptions) {
    super(new Sweep(options), options.onFailure);
  }
}
