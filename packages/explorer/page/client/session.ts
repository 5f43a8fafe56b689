// The session with the explorer's server: opened by the one-time link, kept by a cookie that no script sees and a proof
// in this origin's storage. When it ends, requests wait until there is a new one, so that no edit is lost.
import { signal } from '@preact/signals';
import { AskError, ask, posted } from './ask.js';

const PROOF_KEY = 'shelfmark.proof';

/** Whether requests may be sent; `ended` shows the sign-in. */
export const sessionState = signal<'open' | 'ended'>('open');

const waiting: (() => void)[] = [];

/** The secret in a link, or in what a user pasted. */
export const linkIn = (text: string): string => /(?:#link=|^)([\w-]{20,})\s*$/.exec(text.trim())?.[1] ?? '';

const prove = (path: string, init: RequestInit): Promise<Response> =>
  ask(path, {
    ...init,
    headers: { ...init.headers, 'x-explorer-proof': localStorage.getItem(PROOF_KEY) ?? '' },
  });

/** Once there is a session: the explorer's answer, or an account's. @throws AskError, or the signal's reason. */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  for (;;) {
    try {
      return await prove(path, init);
    } catch (error) {
      if (!(error instanceof AskError && error.code === 'SessionEnded')) throw error;
      sessionState.value = 'ended';
      await new Promise<void>(resolve => waiting.push(resolve));
    }
  }
}

/** The value of an answer of the explorer's own. */
export const fetchValue = async <Value>(path: string, init: RequestInit = {}): Promise<Value> =>
  (await send(path, init)).json();

function goOn(): void {
  sessionState.value = 'open';
  for (const resolve of waiting.splice(0)) resolve();
}

/** @throws AskError if the link is refused. */
export async function openSession(link: string): Promise<void> {
  const response = await ask('/session', posted({ link }));
  const { proof } = (await response.json()) as { readonly proof: string };
  localStorage.setItem(PROOF_KEY, proof);
  goOn();
}

/** Has the server print a new link in its terminal. @throws AskError */
export const requestLink = (): Promise<Response> => ask('/session/link', posted({}));

export async function endSession(): Promise<void> {
  await prove('/session', { method: 'DELETE' });
  localStorage.removeItem(PROOF_KEY);
  sessionState.value = 'ended';
}

/** Other tabs sign in and out too. */
addEventListener('storage', ({ key, newValue }) => {
  if (key === PROOF_KEY && newValue !== null && sessionState.value === 'ended') goOn();
});

/** Uses the link of the address bar, and removes it from there and from the history. @throws AskError */
export async function takeLink(): Promise<void> {
  const link = location.hash.startsWith('#link=') ? linkIn(location.hash) : '';
  if (location.hash.startsWith('#link')) history.replaceState(null, '', '/');
  if (link !== '') await openSession(link);
}
