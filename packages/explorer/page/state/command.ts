// What the palette offers and single keys do: each view registers its commands while it is shown.
import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Service } from '../client/account.js';

export interface Command {
  readonly title: string;
  /** A single key, for when no field has the focus. */
  readonly key?: string;
  readonly run: () => void;
}

const registered = signal<readonly (readonly Command[])[]>([]);
export const commands = computed(() => registered.value.flat());

/** @param depends what the commands' functions use. */
export function useCommands(make: () => readonly Command[], depends: readonly unknown[]): void {
  useEffect(() => {
    const list = make();
    registered.value = [...registered.value, list];
    return () => {
      registered.value = registered.value.filter(each => each !== list);
    };
  }, [...depends]);
}

/** The overlay that is open: the service is that of the dialog that creates. */
export const overlay = signal<'none' | 'palette' | 'help' | Service>('none');
export function show(wanted: typeof overlay.value): void {
  overlay.value = wanted;
}
export const close = (): void => show('none');

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:input|textarea|select)$/i.test(target.tagName));

addEventListener('keydown', event => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
    event.preventDefault();
    show(overlay.value === 'palette' ? 'none' : 'palette');
    return;
  }
  const isTaken = event.ctrlKey || event.metaKey || event.altKey || isField(event.target);
  if (isTaken || document.querySelector('dialog[open]') !== null) return;
  if (event.key === '?') show('help');
  else {
    const found = commands.value.find(({ key }) => key === event.key);
    if (found === undefined) return;
    found.run();
  }
  event.preventDefault();
});
