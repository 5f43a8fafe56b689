// The page as a whole: how it is opened and what happens when that fails, its keys, its size, its speed, its accessibility
// in both themes, at a narrow width and at 200 % text.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { until } from '#base/testing/until';
import { SITE_DIRECTORY } from '#explorer';
import { putBlobs, putEveryType, putOrders, putQueues, tableClient } from '../contents.js';
import { printLink } from '../stage.js';
import { ACCOUNT, button, choose, goTo, openPage, openWorld, WITH_BROWSER } from '../world.js';

const GZIP_BYTES_MAX = 180 * 1024;
const FIRST_GZIP_BYTES_MAX = 100 * 1024;
/** How far the page reaches beyond the window. */
const BEYOND = 'document.documentElement.scrollWidth - innerWidth';
const HOURS = 3_600_000;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

test('the page has at most 180 kB with gzip, and is drawn with at most 100 kB', t => {
  const html = readFileSync(join(SITE_DIRECTORY, 'index.html'), 'utf8');
  let [all, first] = [0, 0];
  for (const entry of readdirSync(SITE_DIRECTORY, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith('.txt')) continue;
    const { length } = gzipSync(readFileSync(join(entry.parentPath, entry.name)), { level: 9 });
    all += length;
    if (entry.name === 'index.html' || html.includes(entry.name)) first += length;
  }
  t.diagnostic(`${all} bytes with gzip, ${first} before the first paint`);
  assert(all <= GZIP_BYTES_MAX, `${all} bytes`);
  assert(first <= FIRST_GZIP_BYTES_MAX, `${first} bytes`);
});

/** What axe-core finds, as `rule: where`. Evaluated by the debugger, which the page's policy does not bind. */
async function faultsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<AxeResults>('axe.run()');
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`),
  );
}

describe('the page', WITH_BROWSER, () => {
  const world = openWorld(async ({ server }) => {
    await putOrders(server, 3, 20);
    await putEveryType(server);
    await putQueues(server);
    await putBlobs(server);
  });

  test('a wrong link has a sentence and a way on', async t => {
    const { browser, stage } = world();
    const { page } = await openPage(browser, `${stage.explorer.url}/#link=${'x'.repeat(43)}`);
    t.after(() => page.context().close());
    await page.getByText('This link was used before').waitFor();
    stage.pass(10_000);
    await page.getByRole('button', { name: 'Print a new link' }).click();
    await page.getByText('A new link is in the terminal now.').waitFor();
    await page.getByRole('textbox', { name: 'Link' }).fill(stage.links.at(-1) ?? '');
    await button(page, 'Open').click();
    await page.getByRole('heading', { name: ACCOUNT }).waitFor();
  });

  test('a session that ends keeps what was typed, and goes on with a new link', async t => {
    const page = await world().open(t, 'tables/orders');
    const { stage } = world();
    await page.locator('.grid-row').first().click();
    await page.getByLabel('Value of city').fill('Typed before');
    stage.pass(13 * HOURS);
    // The server's clock for signatures is this one too: it must not be off when the request is sent at last.
    await button(page, 'Save').click();
    await page.getByText('Your session has ended').waitFor();
    stage.pass(-13 * HOURS + 10_000);
    await page.getByRole('textbox', { name: 'Link' }).fill(await printLink(stage));
    await button(page, 'Open').click();
    await page.getByText('Saved.').waitFor();
    const { city } = await tableClient(stage.server, 'orders').getEntity('customer-0001', 'order-000001');
    assert.equal(city, 'Typed before');
  });

  test('the keyboard reaches everything: palette, help, theme', async t => {
    const page = await world().open(t);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('everytype');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'everyType' }).waitFor();
    await page.locator('body').press('?');
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('theme');
    await page.keyboard.press('Enter');
    await until(
      'a chosen theme',
      async () => (await page.locator('html').getAttribute('data-theme')) === 'light',
    );
  });

  test('a dialog gives the focus back to what had it, or to nothing', async t => {
    const page = await world().open(t, 'tables/orders');
    const focused = (): Promise<string> => page.evaluate('document.activeElement.ariaLabel ?? ""');
    await page.keyboard.press('/');
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Escape');
    await until('focus in the filter', async () => (await focused()) === 'Filter');
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Keys' }).waitFor({ state: 'detached' });
    assert.equal(await focused(), '');
    await goTo(page, "tables/orders?filter=RowKey eq 'none'");
    await choose(page, 'table', 'Delete by filter');
    await button(page, 'Count first').click();
    await page.getByText('Found 0 entities.').waitFor();
    await page.keyboard.press('Escape');
    await until('focus on the menu', async () => (await focused()) === 'More about this table');
  });

  const places = [
    '',
    'tables/orders',
    'tables/everyType?filter=total+gt',
    'queues/invoices',
    'blobs/exports',
    'sas?scope=table&resource=orders',
    'live',
    'partitions/orders',
  ];
  for (const colorScheme of ['light', 'dark'] as const)
    test(`axe-core finds nothing in the ${colorScheme} theme`, async t => {
      const page = await world().open(t, '', { colorScheme });
      const check = async (what: string) => assert.deepEqual(await faultsOf(page), [], what);
      for (const place of places) {
        await goTo(page, place);
        await check(place);
      }
      await goTo(page, 'tables/orders');
      await page.locator('.grid-row').first().click();
      await page.getByLabel('Value of items').fill('x');
      assert.equal(
        await page.locator('.panel-body').evaluate(body => body.scrollWidth - body.clientWidth),
        0,
      );
      await check('the editor');
      await page.keyboard.press('Control+k');
      await check('the palette');
      await page.keyboard.press('Escape');
      await goTo(page, 'blobs/exports');
      await page.getByRole('button', { name: 'readme.txt' }).click();
      await page.getByText('Nightly exports.').waitFor();
      await check('a blob');
    });

  for (const [what, width, zoom] of [
    ['a narrow screen', 360, 1],
    ['text at 200 %', 1280, 2],
  ] as const)
    test(`${what} shows everything without scrolling sideways`, async t => {
      const page = await world().open(t, '', { viewport: { width, height: 800 } });
      await page.addInitScript(
        `addEventListener('DOMContentLoaded', () => { document.documentElement.style.fontSize = '${zoom * 100}%'; })`,
      );
      await page.reload();
      for (const place of places) {
        await goTo(page, place);
        const beyond = await page.evaluate<number>(BEYOND);
        assert.equal(beyond, 0, place);
        for (const bar of await page.locator('.bar').all())
          assert.equal(await bar.evaluate(head => head.scrollHeight - head.clientHeight), 0, place);
        for (const button of await page.locator('.bar button:visible, .filter-row button:visible').all()) {
          const box = await button.boundingBox();
          assert(
            box !== null && box.x >= 0 && box.x + box.width <= width + 1,
            `${place}: ${await button.innerText()}`,
          );
        }
      }
      await goTo(page, 'queues/invoices');
      await page.keyboard.press('n');
      const text = page.locator('.dialog-body');
      assert.equal(await text.evaluate(body => body.scrollWidth - body.clientWidth), 0);
    });

  test('a heat map shows the hottest partitions, and leads to their entities', async t => {
    const client = tableClient(world().stage.server, 'orders');
    for (let reads = 0; reads < 200; reads++) await client.getEntity('customer-0002', 'order-000003');
    const page = await world().open(t, 'tables/orders');
    await page.keyboard.press('p');
    await page.getByRole('heading', { name: 'Hottest partitions' }).waitFor();
    await page.getByRole('rowheader', { name: 'customer-0002' }).waitFor();
    await page.locator('.hottest').getByRole('link', { name: 'customer-0002' }).click();
    await page.locator('.chip.partition-scan').waitFor();
  });

  test('live figures show what the server does', async t => {
    const page = await world().open(t, 'live');
    const client = tableClient(world().stage.server, 'orders');
    await until('operations', async () => {
      for (let reads = 0; reads < 20; reads++) await client.getEntity('customer-0001', 'order-000003');
      const [operations = ''] = await page.locator('.tile dd').allInnerTexts();
      return Number(operations.replace(',', '')) >= 10;
    });
    assert.match(await page.locator('.tile dd').nth(1).innerText(), /^\d+(?:\.\d+)? ms$/);
    assert.equal(await page.locator('.chart svg').count(), 3);
    await page
      .getByRole('img', { name: /^Operations, in operations a second\. Now: Tables [\d.]+, Queues 0\.0/ })
      .waitFor();
  });

  test('a server that stops is a sentence, and Try again works when it is back', async t => {
    const page = await world().open(t);
    await page.route('**/accounts/**', route => route.abort());
    await page.getByRole('link', { name: 'orders' }).first().click();
    await page.getByText('The explorer does not answer. Is Shelfmark still running?').first().waitFor();
    await page.unroute('**/accounts/**');
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await page.locator('.grid-row').first().waitFor();
  });
});
