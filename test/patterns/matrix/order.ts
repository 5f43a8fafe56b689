// The order in which requests of several processes are performed that are under way at the same time: as they came, or as fast-check's scheduler has it.
import type { Scheduler } from 'fast-check';

/** A request that is under way. */
export interface Waiting {
  readonly label: string;
}

/** Chooses which of the requests that are under way comes next. */
export interface Order {
  next<T extends Waiting>(waiting: readonly T[]): Promise<T>;
}

/** As they came. */
export const asTheyCame: Order = {
  next: async <T extends Waiting>([first]: readonly T[]): Promise<T> => {
    if (first === undefined) throw new Error('Nothing is under way.');
    return first;
  },
};

/** As the scheduler has it, which shrinks and repeats it. */
export function byScheduler(scheduler: Scheduler): Order {
  const scheduled = new Set<Waiting>();
  let chosen: Waiting | undefined;
  return {
    next: async <T extends Waiting>(waiting: readonly T[]): Promise<T> => {
      for (const each of waiting) {
        if (scheduled.has(each)) continue;
        scheduled.add(each);
        const turn = scheduler.schedule(Promise.resolve(), each.label);
        void turn.then(() => {
          chosen = each;
        });
      }
      await scheduler.waitNext(1);
      const found = waiting.find(each => each === chosen);
      if (found === undefined) throw new Error('The scheduler chose what is not under way.');
      return found;
    },
  };
}
