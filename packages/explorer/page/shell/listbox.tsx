// A list below a text field, which keeps the focus: arrows move in the list, a key or a click takes what is chosen.
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

interface Listbox<Item> {
  /** Of the element; those of the options begin with it. */
  readonly id: string;
  readonly label: string;
  readonly kind: string;
  readonly items: readonly Item[];
  readonly takeKey: 'Enter' | 'Tab';
  readonly take: (item: Item) => void;
  readonly draw: (item: Item, isChosen: boolean) => ComponentChildren;
}

/** @returns `keyed`, which is true if the key was one of the list. */
export function useListbox<Item>({ id, label, kind, items, takeKey, take, draw }: Listbox<Item>) {
  const [wanted, setWanted] = useState(0);
  const chosen = Math.min(wanted, items.length - 1);
  useEffect(
    () => document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: 'nearest' }),
    [id, chosen],
  );
  const keyed = (event: KeyboardEvent): boolean => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const item = items[chosen];
    if (item === undefined) return false;
    if (step !== 0) setWanted((chosen + step + items.length) % items.length);
    else if (event.key === takeKey && !event.shiftKey) take(item);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  return {
    keyed,
    reset: () => setWanted(0),
    /** Of the text field. */
    field: {
      role: 'combobox',
      autocomplete: 'off',
      spellcheck: false,
      'aria-autocomplete': 'list',
      'aria-expanded': items.length > 0,
      'aria-controls': id,
      'aria-activedescendant': items.length > 0 ? `${id}-${chosen}` : undefined,
    },
    list: (
      <div id={id} class={kind} role="listbox" aria-label={label}>
        {items.map((item, at) => (
          <div
            key={at}
            id={`${id}-${at}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === chosen}
            onPointerMove={() => setWanted(at)}
            onMouseDown={event => event.preventDefault()}
            onClick={() => take(item)}
            onKeyDown={keyed}
          >
            {draw(item, at === chosen)}
          </div>
        ))}
      </div>
    ),
  } as const;
}
