// The explorer's page: takes the one-time link of the address, then shows the app.
import { render } from 'preact';
import { App } from './app.js';
import { takeLink } from './client/session.js';
import { startResources } from './state/resources.js';
import './state/theme.js';

const refusal = await takeLink().catch(() => undefined);
render(<App refusal={refusal} />, document.body);
await startResources();
