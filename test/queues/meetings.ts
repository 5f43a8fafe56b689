// The calls on one queue that overlap, and the uncertainty that follows.
import type { QueueHappening } from './call.js';

export interface Meetings {
  /** Nothing else was under way. */
  readonly isAlone: boolean;
  /** A look may have missed what was there all the time. */
  readonly mayHide: boolean;
}

/** Deletes do not hide anything from a get, which continues after a deleted message; a peek does not continue. */
const HIDES_FROM_GET: ReadonlySet<string> = new Set(['get', 'update', 'clear', 'deleteQueue']);

export function meetingsOf(history: readonly QueueHappening[]): ReadonlyMap<QueueHappening, Meetings> {
  const found = new Map<QueueHappening, { isAlone: boolean; mayHide: boolean }>();
  let underWay: QueueHappening[] = [];
  const note = (happening: QueueHappening, other: QueueHappening): void => {
    const meetings = found.get(happening);
    if (!meetings) return;
    meetings.isAlone = false;
    const { kind } = other.call;
    meetings.mayHide ||= HIDES_FROM_GET.has(kind) || (kind === 'delete' && happening.call.kind === 'peek');
  };
  for (const happening of [...history].sort((a, b) => a.invoked - b.invoked)) {
    underWay = underWay.filter(({ answered }) => answered > happening.invoked);
    found.set(happening, { isAlone: true, mayHide: false });
    for (const other of underWay) {
      note(happening, other);
      note(other, happening);
    }
    underWay.push(happening);
  }
  return found;
}
