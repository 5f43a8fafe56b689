// The bar of a table, a queue or a container: its title, and what can be done with it.
import { type IconNode, KeyRound, RefreshCw, Trash2 } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type Place, RESOURCES, type Service } from '../client/account.js';
import { notify } from '../state/notice.js';
import { currentAccount, refreshListing, SERVICE_NAMES } from '../state/resources.js';
import { go } from '../state/route.js';
import { Button } from './button.js';
import { Loss } from './dialog.js';
import { Menu, type MenuItem } from './menu.js';

interface BarProps extends Place {
  readonly service: Service;
  /** In place of the name. */
  readonly title?: ComponentChildren;
  /** Buttons of the service's own. */
  readonly children?: ComponentChildren;
  readonly againLabel: string;
  readonly onAgain: () => void;
  readonly primary: { readonly label: string; readonly icon: IconNode; readonly run: () => void };
  readonly items?: readonly MenuItem[];
}

interface DropProps extends Place {
  readonly service: Service;
  readonly onClose: () => void;
}

/** Asks before all of it is deleted. */
function Drop({ service, account, name, onClose }: DropProps) {
  const { one, contents } = SERVICE_NAMES[service];
  const drop = async (): Promise<void> => {
    await RESOURCES[service].remove({ account, name });
    notify(`Deleted ${one} ${name}.`);
    go({ kind: 'home' });
    await refreshListing(service);
  };
  return (
    <Loss
      title={`Delete ${one} ${name}?`}
      action={`Delete the ${one}`}
      name={name}
      perform={drop}
      onClose={onClose}
    >
      <p>All of its {contents} go with it. There is no way back.</p>
    </Loss>
  );
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

export function Bar(props: BarProps) {
  const { service, account, name, title, children, againLabel, onAgain, primary, items = [] } = props;
  const [isDropping, setDropping] = useState(false);
  const { one } = SERVICE_NAMES[service];
  const all: readonly MenuItem[] = [
    ...items.filter(({ isDanger }) => !isDanger),
    ...signing(one, name),
    ...items.filter(({ isDanger }) => isDanger),
    { label: `Delete the ${one}`, icon: Trash2, isDanger: true, run: () => setDropping(true) },
  ];
  return (
    <header class="bar">
      {title ?? (
        <h1 class="ellipsis" title={name}>
          {name}
        </h1>
      )}
      <div class="row">
        {children}
        <Button icon={RefreshCw} label={againLabel} onClick={onAgain} />
        <Button kind="primary" icon={primary.icon} onClick={primary.run}>
          {primary.label}
        </Button>
        <Menu label={`More about this ${one}`} buttonClass="button square" items={all} />
      </div>
      {isDropping && <Drop {...{ service, account, name }} onClose={() => setDropping(false)} />}
    </header>
  );
}
