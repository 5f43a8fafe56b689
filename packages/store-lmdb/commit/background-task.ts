// When a store's background task gets a turn: when nothing waits, and now and then when much does.

/** Does some of the work, in a transaction of its own; returns false when nothing is left to do. */
export type BackgroundTask = () => boolean;

/** Groups after which the task gets a turn although works wait. */
const GROUPS_BETWEEN_TURNS = 16;

export class TaskTurns {
  #state: 'none' | 'ready' | 'blocked' = 'none';
  #isStopped = false;
  #groupsSince = 0;

  get isReady(): boolean {
    return this.#state === 'ready' && !this.#isStopped;
  }

  /** Whether the next turn is the task's. */
  isNext(waiting: number): boolean {
    return this.isReady && (waiting === 0 || this.#groupsSince >= GROUPS_BETWEEN_TURNS);
  }

  wake(): void {
    this.#state = 'ready';
  }

  /** For good: what is left stays undone. */
  stop(): void {
    this.#isStopped = true;
  }

  /** A turn has ended. */
  end(isMore: boolean): void {
    this.#groupsSince = 0;
    this.#state = isMore ? 'ready' : 'none';
  }

  /** Nothing can be done until a group was committed: a full disk is not asked over and over. */
  block(): void {
    this.#groupsSince = 0;
    if (this.isReady) this.#state = 'blocked';
  }

  countGroup(isCommitted: boolean): void {
    this.#groupsSince += 1;
    if (isCommitted && this.#state === 'blocked') this.#state = 'ready';
  }
}
