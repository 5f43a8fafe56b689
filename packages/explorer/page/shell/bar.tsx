// The bar of a table, a queue or a container: its title, and what can be done with it, also by keys and in the palette.
import { type IconNode, KeyRound, Trash2 } from 'lucide';
import type { ComponentChildren } from 'preact';
import type { Place, Service } from '../client/account.js';
import { type Command, useCommands } from '../state/command.js';
import { currentAccount, SERVICE_NAMES } from '../state/resources.js';
import { go } from '../state/route.js';
import { Button } from './button.js';
import { Menu, type MenuItem } from './menu.js';
import { drop } from './resource.js';

export interface Action extends Command {
  readonly icon: IconNode;
  /** Where it is shown: in the menu, unless it is a button of its own. */
  readonly place?: 'button' | 'primary';
  /** Of a button: shown where there is room. */
  readonly text?: string;
  readonly isDanger?: boolean;
}

interface BarProps extends Place {
  readonly service: Service;
  /** In place of the name. */
  readonly title?: ComponentChildren;
  readonly actions: readonly Action[];
  /** Before the buttons. */
  readonly children?: ComponentChildren;
}

export const signing = (scope: string, resource: string): readonly MenuItem[] =>
  currentAccount.value?.canSign
    ? [
        {
          label: 'Shared access signature',
          icon: KeyRound,
          run: () => go({ kind: 'signature', scope, resource }),
        },
      ]
    : [];

export function Bar({ service, account, name, title, actions, children }: BarProps) {
  const { one } = SERVICE_NAMES[service];
  const inMenu = actions.filter(({ place }) => place === undefined);
  const items: readonly MenuItem[] = [
    ...inMenu.filter(({ isDanger }) => !isDanger),
    ...signing(one, name),
    ...inMenu.filter(({ isDanger }) => isDanger),
    {
      label: `Delete the ${one}`,
      icon: Trash2,
      isDanger: true,
      run: () => drop(service, { account, name }),
    },
  ];
  useCommands([...actions.filter(({ place }) => place !== undefined), ...items]);
  return (
    <header class="bar">
      {title ?? (
        <h1 class="ellipsis" title={name}>
          {name}
        </h1>
      )}
      <div class="row">
        {children}
        {actions.map(({ place, label, text, icon, run }) =>
          place === undefined ? null : (
            <Button
              key={label}
              icon={icon}
              kind={place === 'primary' ? 'primary' : ''}
              label={place === 'primary' ? undefined : label}
              onClick={run}
            >
              {place === 'primary' ? label : text && <span class="wide-only">{text}</span>}
            </Button>
          ),
        )}
        <Menu label={`More about this ${one}`} buttonClass="button square" items={items} />
      </div>
    </header>
  );
}
