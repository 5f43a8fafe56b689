// The session with the explorer's server: opened by the one-time link, kept by a cookie that no script sees and a proof
// in this origin's storage. When it ends, requests wait until there is a new one, so that no edit is lost.
import { signal } from '@preact/signals';

const PROOF_KEY = 'shelfmark.proof';

/** Whether requests may be sent; `ended` shows the sign-in. */
export const sessionState = signal<'open' | 'ended'>('open');

const waiting: (() => void)[] = [];

export const proof = (): string => localStorage.getItem(PROOF_KEY) ?? '';

/** The secret in a link, or in what a user pasted. */
export const linkIn = (text: string): string => /(?:#link=|^)([\w-]{20,})\s*$/.exec(text.trim())?.[1] ?? '';

async function messageOf(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => undefined);
  const message = typeof body === 'object' && body !== null && 'message' in body ? body.message : undefined;
  return typeof message === 'string' ? message : `The explorer answered ${response.status}.`;
}

const post = (path: string, value: unknown): Promise<Response> =>
  fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(value),
  });

/** Resolves with a sentence if the link is refused. */
export async function openSession(link: string): Promise<string | undefined> {
  const response = await post('/session', { link });
  if (!response.ok) return messageOf(response);
  const { proof: made } = (await response.json()) as { readonly proof: string };
  localStorage.setItem(PROOF_KEY, made);
  sessionState.value = 'open';
  for (const resolve of waiting.splice(0)) resolve();
  return undefined;
}

/** Has the server print a new link in its terminal. Resolves with a sentence if it does not. */
export async function requestLink(): Promise<string | undefined> {
  const response = await post('/session/link', {});
  return response.ok ? undefined : messageOf(response);
}

/** Shows the sign-in and resolves once there is a session. */
export function untilSession(): Promise<void> {
  sessionState.value = 'ended';
  return new Promise(resolve => waiting.push(resolve));
}

export async function endSession(): Promise<void> {
  await fetch('/session', { method: 'DELETE', headers: { 'x-explorer-proof': proof() } });
  localStorage.removeItem(PROOF_KEY);
  sessionState.value = 'ended';
}

/** Other tabs sign in and out too. */
addEventListener('storage', ({ key, newValue }) => {
  if (key !== PROOF_KEY || newValue === null || sessionState.value === 'open') return;
  sessionState.value = 'open';
  for (const resolve of waiting.splice(0)) resolve();
});

/** Uses the link of the address bar, and removes it from there and from the history. */
export async function takeLink(): Promise<string | undefined> {
  const link = location.hash.startsWith('#link=') ? linkIn(location.hash) : '';
  if (location.hash.startsWith('#link')) history.replaceState(null, '', '/');
  return link === '' ? undefined : openSession(link);
}
