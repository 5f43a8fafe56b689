// The explorer's page with reloads, for those who change it: a server in memory with examples, and Vite in front of the
// explorer's own server. `npm run explorer:dev`.
import { createServer } from 'vite';
import { parseAddress } from '../packages/data-tools/index.js';
import { openExplorer } from '../packages/explorer/index.js';
import { serve } from '../packages/server/index.js';
import { putBlobs, putEveryType, putOrders, putQueues, putWide } from '../test/explorer/contents.js';
import { PAGE_CONFIG } from './build-page.js';

const PORT = 10_003;

const server = await serve({ data: undefined });
await putOrders(server, 30, 200);
await putEveryType(server);
await putWide(server);
await putQueues(server);
await putBlobs(server);

const links: string[] = [];
const tell = (link: string): void => {
  const shown = link.replace(/:\d+\/#/, `:${PORT}/#`);
  if (links.push(link) > 1) process.stdout.write(`${shown}\n`);
};
const address = parseAddress(server.connectionString());
const explorer = await openExplorer({ port: 0, accounts: () => [address], onLink: tell });

/** The explorer's server answers only its own page: requests are passed on as if they came from it. */
const headers = { host: new URL(explorer.url).host, origin: explorer.url };
const passed = { target: explorer.url, changeOrigin: true, headers };
const paths = ['/session', '/accounts', '/signatures', '/downloads'];
const vite = await createServer({
  ...PAGE_CONFIG,
  server: {
    port: PORT,
    strictPort: true,
    host: '127.0.0.1',
    proxy: Object.fromEntries(paths.map(path => [path, passed])),
  },
});
await vite.listen();
process.stdout.write(`${links[0]?.replace(explorer.url, `http://127.0.0.1:${PORT}`)}\n`);
