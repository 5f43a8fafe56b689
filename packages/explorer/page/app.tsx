// The whole page: the side, the view that the address names, and what lies over them.
import { Keyboard, Menu as MenuIcon, Monitor, Moon, Search, Sun } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { ContainerView } from './blobs/container-view.js';
import { accounts } from './client/account.js';
import { endSession, sessionState } from './client/session.js';
import { HeatView } from './heat/heat-view.js';
import { HomeView } from './home/home-view.js';
import { LiveView } from './live/live-view.js';
import { QueueView } from './queues/queue-view.js';
import { SignatureView } from './sas/signature-view.js';
import { Failure, Spinner } from './shell/blank.js';
import { Icon, IconButton } from './shell/button.js';
import { Help } from './shell/help.js';
import { Notices } from './shell/notices.js';
import { Palette } from './shell/palette.js';
import { create } from './shell/resource.js';
import { Sidebar } from './shell/sidebar.js';
import { SignIn } from './shell/sign-in.js';
import { close, commands, overlay, show, useCommands } from './state/command.js';
import {
  accountsFailure,
  currentAccount,
  SERVICE_NAMES,
  SERVICES,
  startResources,
} from './state/resources.js';
import { go, type Route, route } from './state/route.js';
import { nextTheme, type Theme, theme } from './state/theme.js';
import { TableView } from './tables/table-view.js';

const THEME_ICONS: Readonly<Record<Theme, typeof Sun>> = { system: Monitor, light: Sun, dark: Moon };
const showPalette = (): void => show(<Palette />);
const showHelp = (): void => show(<Help />);

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:input|textarea|select)$/i.test(target.tagName));

addEventListener('keydown', event => {
  const isControl = event.ctrlKey || event.metaKey;
  if (isControl && event.key.toLowerCase() === 'k') {
    const open = document.querySelector('dialog[open]');
    // Not in place of a dialog, which may have work under way, or a text.
    if (open === null) showPalette();
    else if (open.matches('.palette')) close();
  } else {
    const isTaken = isControl || event.altKey || isField(event.target);
    if (isTaken || document.querySelector('dialog[open]') !== null) return;
    const found = commands().find(({ key }) => key === event.key);
    if (found === undefined) return;
    found.run();
  }
  event.preventDefault();
});

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

const Top = ({ onSide }: { readonly onSide: () => void }) => (
  <div class="top">
    <span class="side-button">
      <IconButton icon={MenuIcon} label="Show the side" onClick={onSide} />
    </span>
    <button type="button" class="search-button" onClick={showPalette}>
      <Icon of={Search} />
      <span>Search or run a command</span>
      <kbd>{isMac ? '⌘' : 'Ctrl'} K</kbd>
    </button>
    <IconButton icon={Keyboard} label="Keys (?)" onClick={showHelp} />
    <IconButton icon={THEME_ICONS[theme.value]} label={`Theme: ${theme.value}`} onClick={nextTheme} />
  </div>
);

/** Another one begins anew; a filter and a folder are of the same view. */
const keyOf = ({ account, view }: Route): string =>
  JSON.stringify([account, view.kind === 'signature' ? view : [view.kind, 'name' in view && view.name]]);

function ViewOf({ account, view }: Route) {
  switch (view.kind) {
    case 'table':
      return <TableView account={account} {...view} />;
    case 'queue':
      return <QueueView account={account} {...view} />;
    case 'container':
      return <ContainerView account={account} {...view} />;
    case 'signature':
      return <SignatureView {...view} />;
    case 'heat':
      return <HeatView account={account} {...view} />;
    case 'live':
      return <LiveView />;
    case 'home':
      return <HomeView account={account} />;
  }
}

function Main() {
  const { account, view } = route.value;
  if (accountsFailure.value !== undefined)
    return (
      <Failure
        title="The explorer cannot be reached"
        sentence={accountsFailure.value}
        onRetry={() => void startResources()}
      />
    );
  if (accounts.value.length === 0) return <Spinner label="Opening…" />;
  if (currentAccount.value === undefined)
    return (
      <Failure
        title={`There is no account ${account}`}
        sentence="The explorer no longer has it. Choose another at the side."
        onRetry={() => void startResources()}
      />
    );
  return <ViewOf key={keyOf(route.value)} account={account} view={view} />;
}

const titleOf = (): string => {
  const { account, view } = route.value;
  const name = 'name' in view ? view.name : view.kind === 'signature' ? 'Signatures' : account;
  return name === '' ? 'Shelfmark' : `${name} · Shelfmark`;
};

export function App({ refusal }: { readonly refusal: string | undefined }) {
  const [isSideShown, setSideShown] = useState(false);
  const title = titleOf();
  useEffect(() => {
    document.title = title;
    setSideShown(false);
  }, [title]);
  const place = keyOf(route.value);
  // A dialog is of the view that opened it.
  useEffect(() => close, [place]);
  useCommands([
    ...SERVICES.map(service => ({
      label: `New ${SERVICE_NAMES[service].one}`,
      run: () => create(service),
    })),
    { label: 'Shared access signatures', run: () => go({ kind: 'signature', scope: '', resource: '' }) },
    { label: 'All keys', key: '?', run: showHelp },
    { label: 'Change the theme', run: nextTheme },
    { label: 'End the session', run: () => void endSession() },
  ]);
  const isEnded = sessionState.value === 'ended';
  return (
    <div class={isSideShown ? 'app side-shown' : 'app'}>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Sidebar />
      <div class="shade" aria-hidden="true" onClick={() => setSideShown(false)} />
      <div class="content">
        <Top onSide={() => setSideShown(!isSideShown)} />
        <main id="main" tabIndex={-1}>
          <Main />
        </main>
      </div>
      {overlay.value}
      {isEnded && <SignIn refusal={refusal} isOver={accounts.value.length > 0} />}
      <Notices />
    </div>
  );
}
