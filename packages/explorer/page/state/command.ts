// What the palette offers and single keys do: each view has commands while it is shown. And what lies over the page.
import { signal } from '@preact/signals';
import { type ComponentChildren, Fragment, h } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

export interface Command {
  readonly label: string;
  /** A single key, for when no field has the focus. */
  readonly key?: string;
  readonly run: () => void;
}

const registered = new Set<() => readonly Command[]>();
/** Those of the view before those of the whole page. */
export const commands = (): readonly Command[] => [...registered].reverse().flatMap(list => list());

export function useCommands(list: readonly Command[]): void {
  const latest = useRef(list);
  latest.current = list;
  useEffect(() => {
    const read = (): readonly Command[] => latest.current;
    registered.add(read);
    return () => void registered.delete(read);
  }, []);
}

/** A dialog, the palette or the help. */
export const overlay = signal<ComponentChildren>(undefined);
let shown = 0;
/** In place of what is shown now, also if that is of the same kind. */
export function show(content: ComponentChildren): void {
  overlay.value = h(Fragment, { key: ++shown }, content);
}
export function close(): void {
  overlay.value = undefined;
}
