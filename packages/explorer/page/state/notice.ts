// Short notices at the foot of the page, which go away by themselves; failures stay until they are closed.
import { signal } from '@preact/signals';
import { isAborted, sentenceOf } from '../client/ask.js';

interface Notice {
  readonly id: number;
  readonly kind: 'done' | 'failed';
  readonly text: string;
}

const SHOWN_MILLISECONDS = 4_000;

export const notices = signal<readonly Notice[]>([]);
let ids = 0;

export function closeNotice(id: number): void {
  notices.value = notices.value.filter(each => each.id !== id);
}

export function notify(text: string, kind: Notice['kind'] = 'done'): void {
  const id = ++ids;
  notices.value = [...notices.value.slice(-3), { id, kind, text }];
  if (kind === 'done') setTimeout(() => closeNotice(id), SHOWN_MILLISECONDS);
}

export function notifyFailure(error: unknown): void {
  if (!isAborted(error)) notify(sentenceOf(error), 'failed');
}

export function copyText(text: string, notice: string): void {
  void navigator.clipboard.writeText(text);
  notify(notice);
}
