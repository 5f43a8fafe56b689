// Which columns are shown, and in which order: kept for each table in this browser.

import { signal } from '@preact/signals';
import { ArrowDown, ArrowUp, Columns3 } from 'lucide';
import { type Column, type ColumnChoice, isKey, NO_CHOICE } from '../../model/columns.js';
import { Icon } from '../shell/icon.js';
import { Popover } from '../shell/menu.js';

const keyOf = (account: string, table: string): string => `shelfmark.columns.${account}.${table}`;

function stored(key: string): ColumnChoice {
  try {
    return { ...NO_CHOICE, ...(JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<ColumnChoice>) };
  } catch {
    return NO_CHOICE;
  }
}

/** The choice for a table, which is kept when it is set. */
export function columnChoice(account: string, table: string) {
  const key = keyOf(account, table);
  const choice = signal(stored(key));
  const set = (changed: ColumnChoice): void => {
    choice.value = changed;
    localStorage.setItem(key, JSON.stringify(changed));
  };
  return { choice, set };
}

interface ColumnMenuProps {
  /** In their order, hidden ones too. */
  readonly columns: readonly Column[];
  readonly choice: ColumnChoice;
  readonly onChoose: (choice: ColumnChoice) => void;
}

export function ColumnMenu({ columns, choice, onChoose }: ColumnMenuProps) {
  const names = columns.filter(({ name }) => !isKey(name)).map(({ name }) => name);
  const hidden = new Set(choice.hidden);
  const toggle = (name: string): void => {
    if (!hidden.delete(name)) hidden.add(name);
    onChoose({ ...choice, hidden: [...hidden] });
  };
  const move = (at: number, step: number): void => {
    const order = [...names];
    const [name] = order.splice(at, 1);
    if (name !== undefined) order.splice(at + step, 0, name);
    onChoose({ ...choice, order });
  };
  return (
    <Popover
      label="Columns"
      buttonClass="button"
      button={
        <>
          <Icon of={Columns3} />
          <span class="wide-only">Columns</span>
        </>
      }
    >
      {() => (
        <div class="column-menu">
          <ul>
            {names.map((name, at) => (
              <li key={name}>
                <label class="ellipsis">
                  <input type="checkbox" checked={!hidden.has(name)} onChange={() => toggle(name)} />
                  <span class="ellipsis">{name}</span>
                </label>
                <button
                  type="button"
                  class="button quiet square small"
                  aria-label={`Move ${name} up`}
                  disabled={at === 0}
                  onClick={() => move(at, -1)}
                >
                  <Icon of={ArrowUp} size={13} />
                </button>
                <button
                  type="button"
                  class="button quiet square small"
                  aria-label={`Move ${name} down`}
                  disabled={at === names.length - 1}
                  onClick={() => move(at, 1)}
                >
                  <Icon of={ArrowDown} size={13} />
                </button>
              </li>
            ))}
          </ul>
          <button type="button" class="button quiet" onClick={() => onChoose(NO_CHOICE)}>
            Reset
          </button>
        </div>
      )}
    </Popover>
  );
}
