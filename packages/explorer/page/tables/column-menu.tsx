// Which columns are shown, and in which order.
import { ArrowDown, ArrowUp, Columns3 } from 'lucide';
import { isKey, NO_CHOICE } from '../../model/columns.js';
import { Button, Icon, IconButton } from '../shell/button.js';
import { Popover } from '../shell/menu.js';
import type { TableProps } from './use-table.js';

export function ColumnMenu({ state: { all, choice, choose } }: TableProps) {
  const names = all.filter(({ name }) => !isKey(name)).map(({ name }) => name);
  const hidden = new Set(choice.hidden);
  const toggle = (name: string): void => {
    if (!hidden.delete(name)) hidden.add(name);
    choose({ ...choice, hidden: [...hidden] });
  };
  const move = (at: number, step: number): void => {
    const order = [...names];
    const [name] = order.splice(at, 1);
    if (name !== undefined) order.splice(at + step, 0, name);
    choose({ ...choice, order });
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
                <IconButton
                  icon={ArrowUp}
                  label={`Move ${name} up`}
                  isSmall
                  disabled={at === 0}
                  onClick={() => move(at, -1)}
                />
                <IconButton
                  icon={ArrowDown}
                  label={`Move ${name} down`}
                  isSmall
                  disabled={at === names.length - 1}
                  onClick={() => move(at, 1)}
                />
              </li>
            ))}
          </ul>
          <Button kind="quiet" onClick={() => choose(NO_CHOICE)}>
            Reset
          </Button>
        </div>
      )}
    </Popover>
  );
}
