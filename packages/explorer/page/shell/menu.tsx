// A button with a menu, which opens next to it by the browser's own popover: Escape and a click elsewhere close it.
import { Ellipsis, type IconNode } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { Icon } from './button.js';

interface PopoverProps {
  readonly label: string;
  readonly button: ComponentChildren;
  readonly buttonClass: string;
  readonly children: (close: () => void) => ComponentChildren;
}

export function Popover({ label, button, buttonClass, children }: PopoverProps) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const popover = useRef<HTMLDivElement>(null);
  const close = (): void => popover.current?.hidePopover();
  const toggled = (event: { readonly newState: string }): void => {
    const isNow = event.newState === 'open';
    setOpen(isNow);
    if (isNow)
      requestAnimationFrame(() => popover.current?.querySelector<HTMLElement>('button, input')?.focus());
  };
  return (
    <>
      <button
        type="button"
        class={buttonClass}
        aria-label={label}
        title={label}
        aria-haspopup="true"
        aria-expanded={isOpen}
        popovertarget={id}
      >
        {button}
      </button>
      <div
        ref={popover}
        id={id}
        popover="auto"
        class="popover"
        role="dialog"
        aria-label={label}
        onToggle={toggled}
      >
        {isOpen && children(close)}
      </div>
    </>
  );
}

export interface MenuItem {
  readonly label: string;
  readonly icon?: IconNode;
  readonly key?: string;
  readonly isDanger?: boolean;
  readonly run: () => void;
}

interface MenuProps {
  readonly label: string;
  readonly buttonClass?: string;
  readonly items: readonly MenuItem[];
}

/** Up and Down move in the menu. */
function moveIn(event: KeyboardEvent): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0 || !(event.currentTarget instanceof HTMLElement)) return;
  event.preventDefault();
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=menuitem]')];
  const at = items.indexOf(document.activeElement as HTMLElement);
  items[(at + step + items.length) % items.length]?.focus();
}

export const Menu = ({ label, buttonClass = 'button quiet square', items }: MenuProps) => (
  <Popover label={label} button={<Icon of={Ellipsis} />} buttonClass={buttonClass}>
    {close => (
      <div class="menu" role="menu" tabIndex={-1} aria-label={label} onKeyDown={moveIn}>
        {items.map(({ label: text, icon, isDanger, run }) => (
          <button
            key={text}
            type="button"
            role="menuitem"
            class={isDanger ? 'menu-item danger' : 'menu-item'}
            onClick={() => {
              close();
              run();
            }}
          >
            {icon !== undefined && <Icon of={icon} />}
            {text}
          </button>
        ))}
      </div>
    )}
  </Popover>
);
