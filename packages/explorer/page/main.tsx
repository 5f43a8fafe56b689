// The explorer's page: takes the one-time link of the address, then shows the app.
import { render } from 'preact';
import { App } from './app.js';
import { takeLink } from './client/session.js';
import { startResources } from './state/resources.js';
import './state/theme.js';

const refusal = await takeLink().then(
  () => undefined,
  (error: Error) => error.message,
);
render(<App refusal={refusal} />, document.body);
// The first listing needs them: they are loaded while the accounts are asked for. A failure is the listing's.
import('./client/clients.js').catch(() => undefined);
await startResources();
