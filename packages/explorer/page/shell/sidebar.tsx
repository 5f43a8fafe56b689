// The side: the account, and its tables, queues and containers.
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
import { useState } from 'preact/hooks';
import { accounts, type Service } from '../client/account.js';
import {
  currentAccount,
  hasLive,
  isAbsent,
  listingOf,
  refreshListing,
  SERVICE_NAMES,
  SERVICES,
} from '../state/resources.js';
import { go, hashOf, route, type View, viewOf } from '../state/route.js';
import { Icon, IconButton, LinkButton } from './button.js';
import { create } from './resource.js';

const ICONS: Readonly<Record<Service, IconNode>> = { table: Table2, queue: ListOrdered, blob: Container };
/** A list of thousands of names is filtered, not scrolled. */
const SHOWN_MAX = 500;

interface PageLinkProps {
  readonly icon: IconNode;
  readonly view: View;
  readonly label: string;
}

const nameIn = (view: View): string => ('name' in view ? view.name : '');

function PageLink({ icon, view: target, label }: PageLinkProps) {
  const { account, view } = route.value;
  const isHere = target.kind === view.kind && nameIn(target) === nameIn(view);
  return (
    <a
      class="name"
      href={hashOf({ account, view: target })}
      aria-current={isHere ? 'page' : undefined}
      title={label}
    >
      <Icon of={icon} size={15} />
      <span class="ellipsis">{label}</span>
    </a>
  );
}

interface NamesProps {
  readonly service: Service;
  readonly wanted: string;
}

function Names({ service, wanted }: NamesProps) {
  const { value: names, failure } = listingOf(service) ?? {};
  if (failure !== undefined)
    return (
      <p class="side-hint failed">
        {failure} <LinkButton onClick={() => void refreshListing(service)}>Try again</LinkButton>
      </p>
    );
  if (names === undefined) return <p class="side-hint">Loading…</p>;
  const found = names.filter(name => name.toLowerCase().includes(wanted.toLowerCase()));
  if (found.length === 0)
    return <p class="side-hint">{names.length === 0 ? 'None yet' : 'None has these letters'}</p>;
  return (
    <ul class="names">
      {found.slice(0, SHOWN_MAX).map(name => (
        <li key={name}>
          <PageLink icon={ICONS[service]} view={viewOf(service, name)} label={name} />
        </li>
      ))}
      {found.length > SHOWN_MAX && (
        <li class="side-hint">and {found.length - SHOWN_MAX} more: filter above</li>
      )}
    </ul>
  );
}

function Section({ service, wanted }: NamesProps) {
  const names = listingOf(service)?.value;
  const { many, one } = SERVICE_NAMES[service];
  const [isOpen, setOpen] = useState(true);
  if (isAbsent(service)) return null;
  return (
    <section class="side-section">
      <div class="side-head">
        <button type="button" class="side-toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon of={ChevronRight} size={14} />
          {many}
          {names !== undefined && <span class="count">{names.length}</span>}
        </button>
        <IconButton
          icon={RefreshCw}
          label={`Reload ${many.toLowerCase()}`}
          isSmall
          onClick={() => void refreshListing(service)}
        />
        <IconButton icon={Plus} label={`New ${one}`} isSmall onClick={() => create(service)} />
      </div>
      {isOpen && <Names service={service} wanted={wanted} />}
    </section>
  );
}

export function Sidebar() {
  const [wanted, setWanted] = useState('');
  const { account } = route.value;
  return (
    <nav class="sidebar" aria-label="Account">
      <a class="brand" href={hashOf({ account, view: { kind: 'home' } })}>
        <span class="brand-mark">
          <Icon of={BookMarked} size={18} />
        </span>
        Shelfmark
      </a>
      <select
        class="input"
        aria-label="Account"
        value={account}
        onChange={event => go({ kind: 'home' }, event.currentTarget.value)}
      >
        {accounts.value.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <input
        type="search"
        class="input"
        placeholder="Filter names"
        aria-label="Filter names"
        value={wanted}
        onInput={event => setWanted(event.currentTarget.value)}
      />
      <div class="side-scroll">
        {SERVICES.map(service => (
          <Section key={service} service={service} wanted={wanted} />
        ))}
      </div>
      {hasLive.value && <PageLink icon={Activity} view={{ kind: 'live' }} label="Live figures" />}
      {currentAccount.value?.canSign && (
        <PageLink
          icon={KeyRound}
          view={{ kind: 'signature', scope: '', resource: '' }}
          label="Shared access signatures"
        />
      )}
    </nav>
  );
}
