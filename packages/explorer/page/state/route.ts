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

function parse(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const [account = '', kind = '', name = ''] = path.split('/').map(decode);
  const parameters = new URLSearchParams(query);
  const given = (key: string): string => parameters.get(key) ?? '';
  if (kind === 'sas')
    return { account, view: { kind: 'signature', scope: given('scope'), resource: given('resource') } };
  if (kind === 'live') return { account, view: { kind: 'live' } };
  if (name === '') return { account, view: { kind: 'home' } };
  if (kind === 'tables') return { account, view: { kind: 'table', name, filter: given('filter') } };
  if (kind === 'partitions') return { account, view: { kind: 'heat', name } };
  if (kind === 'queues') return { account, view: { kind: 'queue', name } };
  if (kind === 'blobs') return { account, view: { kind: 'container', name, prefix: given('prefix') } };
  return { account, view: { kind: 'home' } };
}

const FOLDERS = { heat: 'partitions', table: 'tables', queue: 'queues', container: 'blobs' } as const;

export function hashOf({ account, view }: Route): string {
  const start = `#/${encodeURIComponent(account)}`;
  if (view.kind === 'home') return start;
  if (view.kind === 'live') return `${start}/live`;
  const parameters = new URLSearchParams();
  const add = (name: string, value: string): void => {
    if (value !== '') parameters.set(name, value);
  };
  if (view.kind === 'table') add('filter', view.filter);
  if (view.kind === 'container') add('prefix', view.prefix);
  if (view.kind === 'signature') {
    add('scope', view.scope);
    add('resource', view.resource);
  }
  const query = parameters.size === 0 ? '' : `?${parameters}`;
  if (view.kind === 'signature') return `${start}/sas${query}`;
  return `${start}/${FOLDERS[view.kind]}/${encodeURIComponent(view.name)}${query}`;
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
