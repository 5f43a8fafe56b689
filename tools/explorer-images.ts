// Takes the pictures of docs/explorer.md: the explorer's views in both themes, over the contents of its scenarios.
// `npm run docs:explorer`, with Debian's Chromium and the fonts of fonts-inter and fonts-jetbrains-mono.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import {
  putBlobs,
  putEveryType,
  putOrders,
  putQueues,
  putWide,
  tableClient,
} from '../test/explorer/contents.js';
import { openStage, printLink } from '../test/explorer/stage.js';
import { ACCOUNT, openBrowser, openPage } from '../test/explorer/world.js';
import { ROOT } from '../test/support/spawned-server.js';

const FOLDER = join(ROOT, 'docs', 'images');
const FILTER = encodeURIComponent("PartitionKey eq 'customer-0003' and state eq 'open'");

interface Picture {
  readonly name: string;
  readonly place: string;
  readonly arrange: (page: Page) => Promise<void>;
}

const stage = await openStage();
const { server } = stage;
await putOrders(server, 30, 40);
await putEveryType(server);
await putWide(server);
await putQueues(server);
await putBlobs(server);

let attempts = 0;
const PICTURES: readonly Picture[] = [
  {
    name: 'table',
    place: `tables/orders?filter=${FILTER}`,
    arrange: async page => {
      await page.locator('.grid-row').nth(2).click();
      await page.getByLabel('Value of city').fill('Porto');
      await page.getByText('Sends 1 changed property').waitFor();
    },
  },
  {
    name: 'conflict',
    place: 'tables/orders',
    arrange: async page => {
      await page.locator('.grid-row').nth(4).click();
      await page.getByLabel('Value of city').fill('Porto');
      // Another state each time, so that it is a change in both themes.
      const state = `packed, try ${++attempts}`;
      const change = { partitionKey: 'customer-0001', rowKey: 'order-000005', state };
      await tableClient(server, 'orders').updateEntity(change, 'Merge');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Changed by someone else').waitFor();
    },
  },
  {
    name: 'queue',
    place: 'queues/invoices-poison',
    arrange: page => page.locator('.message').nth(2).waitFor(),
  },
  {
    name: 'blobs',
    place: 'blobs/exports',
    arrange: async page => {
      await page.getByRole('button', { name: 'orders.parquet' }).click();
      await page.getByText('Parquet with 2 rows').waitFor();
    },
  },
];

mkdirSync(FOLDER, { recursive: true });
const browser = await openBrowser();
for (const colorScheme of ['light', 'dark'] as const) {
  const options = { colorScheme, viewport: { width: 1060, height: 580 } };
  const { page } = await openPage(browser, await printLink(stage), options);
  await page.getByRole('heading', { name: ACCOUNT }).waitFor();
  for (const { name, place, arrange } of PICTURES) {
    await page.goto('about:blank');
    await page.goto(`${stage.explorer.url}/#/${ACCOUNT}/${place}`);
    await arrange(page);
    await page.screenshot({ path: join(FOLDER, `explorer-${name}-${colorScheme}.png`) });
  }
}
await browser.close();
await stage.close();
