// Where the page is: in the hash of the address, so that Back, reload and bookmarks work.
import { computed, signal } from '@preact/signals';
import type { Service } from '../client/account.js';

export type View =
  | { readonly kind: 'home' }
  | { readonly kind: 'live' }
  | { readonly kind: 'heat'; readonly name: string }
  | { readonly kind: 'table'; readonly name: string; readonly filter: string }
  | { readonly kind: 'queue'; readonly name: string }
  | { readonly kind: 'container'; readonly name: string; readonly prefix: string }
  | { readonly kind: 'signature'; readonly scope: string; readonly resource: string };

export interface Route {
  /** Empty until one is chosen. */
  readonly account: string;
  readonly view: View;
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

function viewIn(folder: string, name: string, given: (parameter: string) => string): View {
  if (folder === 'live') return { kind: 'live' };
  if (folder === 'sas') return { kind: 'signature', scope: given('scope'), resource: given('resource') };
  if (name === '') return { kind: 'home' };
  if (folder === 'tables') return { kind: 'table', name, filter: given('filter') };
  if (folder === 'partitions') return { kind: 'heat', name };
  if (folder === 'queues') return { kind: 'queue', name };
  return folder === 'blobs' ? { kind: 'container', name, prefix: given('prefix') } : { kind: 'home' };
}

function parse(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const [account = '', folder = '', name = ''] = path.split('/').map(decode);
  const parameters = new URLSearchParams(query);
  return { account, view: viewIn(folder, name, parameter => parameters.get(parameter) ?? '') };
}

const FOLDERS: Readonly<Record<View['kind'], string>> = {
  home: '',
  live: 'live',
  heat: 'partitions',
  table: 'tables',
  queue: 'queues',
  container: 'blobs',
  signature: 'sas',
};

export function hashOf({ account, view }: Route): string {
  const { kind, name, ...query }: Partial<Record<string, string>> & Pick<View, 'kind'> = { ...view };
  const path = [account, FOLDERS[kind], name ?? ''].filter(part => part !== '').map(encodeURIComponent);
  const given = Object.entries(query).filter(([, value]) => value !== '');
  const parameters = new URLSearchParams(given as [string, string][]);
  return `#/${path.join('/')}${parameters.size === 0 ? '' : `?${parameters}`}`;
}

export const route = signal<Route>(parse(location.hash));
addEventListener('hashchange', () => {
  route.value = parse(location.hash);
});

export const account = computed(() => route.value.account);

/** Adds to the history unless only the query changes. */
export function go(view: View, of = route.value.account): void {
  const hash = hashOf({ account: of, view });
  if (hash === location.hash) return;
  const isSame = hash.split('?')[0] === location.hash.split('?')[0] && view.kind !== 'container';
  if (isSame) history.replaceState(null, '', hash);
  else history.pushState(null, '', hash);
  route.value = { account: of, view };
}

/** The view of a resource of a service. */
export const viewOf = (service: Service, name: string): View =>
  service === 'table'
    ? { kind: 'table', name, filter: '' }
    : service === 'queue'
      ? { kind: 'queue', name }
      : { kind: 'container', name, prefix: '' };
