// The side: the account, and its tables, queues and containers.

import { useSignal } from '@preact/signals';
import {
  Activity,
  BookMarked,
  ChevronRight,
  Container,
  type IconNode,
  KeyRound,
  ListOrdered,
  Plus,
  RefreshCw,
  Table2,
} from 'lucide';
import type { Service } from '../client/ask.js';
import {
  accounts,
  currentAccount,
  hasLive,
  listings,
  refreshListing,
  SERVICE_NAMES,
  SERVICES,
} from '../state/resources.js';
import { go, hashOf, route, viewOf } from '../state/route.js';
import { creating } from './create.js';
import { Icon } from './icon.js';

const ICONS: Readonly<Record<Service, IconNode>> = { table: Table2, queue: ListOrdered, blob: Container };
/** A list of thousands of names is filtered, not scrolled. */
const SHOWN_MAX = 500;

const AccountChoice = () => (
  <label class="account-choice">
    <span class="visually-hidden">Account</span>
    <select
      class="input"
      value={route.value.account}
      onChange={event => go({ kind: 'home' }, event.currentTarget.value)}
    >
      {accounts.value.map(({ name }) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  </label>
);

interface NamesProps {
  readonly service: Service;
  readonly wanted: string;
}

function Names({ service, wanted }: NamesProps) {
  const { names, state, sentence } = listings[service].value;
  const { view, account } = route.value;
  const found = names.filter(name => name.toLowerCase().includes(wanted.toLowerCase()));
  if (state === 'loading') return <p class="side-hint">Loading…</p>;
  if (state === 'failed')
    return (
      <p class="side-hint failed">
        {sentence}{' '}
        <button type="button" class="link" onClick={() => void refreshListing(service)}>
          Try again
        </button>
      </p>
    );
  if (found.length === 0)
    return <p class="side-hint">{names.length === 0 ? 'None yet' : 'None has these letters'}</p>;
  return (
    <ul class="names">
      {found.slice(0, SHOWN_MAX).map(name => {
        const target = viewOf(service, name);
        const isHere = target.kind === view.kind && 'name' in view && view.name === name;
        return (
          <li key={name}>
            <a
              class="name"
              href={hashOf({ account, view: target })}
              aria-current={isHere ? 'page' : undefined}
              title={name}
            >
              <Icon of={ICONS[service]} size={15} />
              <span class="ellipsis">{name}</span>
            </a>
          </li>
        );
      })}
      {found.length > SHOWN_MAX && (
        <li class="side-hint">and {found.length - SHOWN_MAX} more: filter above</li>
      )}
    </ul>
  );
}

function Section({ service, wanted }: NamesProps) {
  const { names, state } = listings[service].value;
  const { many, one } = SERVICE_NAMES[service];
  const isOpen = useSignal(true);
  if (state === 'absent') return null;
  return (
    <section class="side-section">
      <div class="side-head">
        <button
          type="button"
          class="side-toggle"
          aria-expanded={isOpen.value}
          onClick={() => {
            isOpen.value = !isOpen.value;
          }}
        >
          <Icon of={ChevronRight} size={14} />
          {many}
          {state === 'ready' && <span class="count">{names.length}</span>}
        </button>
        <button
          type="button"
          class="button quiet square small"
          aria-label={`Reload ${many.toLowerCase()}`}
          title="Reload"
          onClick={() => void refreshListing(service)}
        >
          <Icon of={RefreshCw} size={13} />
        </button>
        <button
          type="button"
          class="button quiet square small"
          aria-label={`New ${one}`}
          title={`New ${one}`}
          onClick={() => {
            creating.value = service;
          }}
        >
          <Icon of={Plus} size={15} />
        </button>
      </div>
      {isOpen.value && <Names service={service} wanted={wanted} />}
    </section>
  );
}

export function Sidebar() {
  const wanted = useSignal('');
  const { view, account } = route.value;
  return (
    <nav class="sidebar" aria-label="Account">
      <a class="brand" href={hashOf({ account, view: { kind: 'home' } })}>
        <span class="brand-mark">
          <Icon of={BookMarked} size={18} />
        </span>
        Shelfmark
      </a>
      <AccountChoice />
      <input
        type="search"
        class="input"
        placeholder="Filter names"
        aria-label="Filter names"
        value={wanted.value}
        onInput={event => {
          wanted.value = event.currentTarget.value;
        }}
      />
      <div class="side-scroll">
        {SERVICES.map(service => (
          <Section key={service} service={service} wanted={wanted.value} />
        ))}
      </div>
      {hasLive.value && (
        <a
          class="name"
          href={hashOf({ account, view: { kind: 'live' } })}
          aria-current={view.kind === 'live' ? 'page' : undefined}
        >
          <Icon of={Activity} size={15} />
          Live figures
        </a>
      )}
      {currentAccount()?.canSign && (
        <a
          class="name"
          href={hashOf({ account, view: { kind: 'signature', scope: '', resource: '' } })}
          aria-current={view.kind === 'signature' ? 'page' : undefined}
        >
          <Icon of={KeyRound} size={15} />
          Shared access signatures
        </a>
      )}
    </nav>
  );
}
