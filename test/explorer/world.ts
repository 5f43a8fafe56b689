// One browser and one stage for the scenarios of a file: each opens a page of its own. The browser is Debian's Chromium,
// by playwright-core, which downloads none.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, type TestContext } from 'node:test';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { openStage, printLink, type Stage } from './stage.js';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
export const ACCOUNT = 'devstoreaccount1';
/** Of a wait for the page, on a machine that stands still for a while. */
const PATIENCE = 120_000;

/** The options of a suite that needs it. */
export const WITH_BROWSER = {
  skip: existsSync(CHROMIUM) ? false : `There is no ${CHROMIUM}: install Debian's chromium.`,
};

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });

interface OpenedPage {
  readonly page: Page;
  /** What the page logged as an error, threw, or asked of another host. */
  readonly complaints: readonly string[];
}

/** A page of its own, opened by the link. */
export async function openPage(
  browser: Browser,
  link: string,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(PATIENCE);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  const complaints: string[] = [];
  const { origin } = new URL(link);
  page.on('pageerror', error => complaints.push(String(error)));
  page.on('console', message => {
    // A refused request is logged by the browser itself; the page deals with it.
    const isRequest = /Failed to load resource/.test(message.text());
    if (message.type() === 'error' && !isRequest) complaints.push(message.text());
  });
  page.on('request', request => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('blob:'))
      complaints.push(request.url());
  });
  await page.goto(link);
  return { page, complaints };
}

/** A button by its exact name. */
export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** What a view shows once it has read what it needs. */
const READY: Readonly<Record<string, string>> = {
  '': '.card',
  tables: '.grid-row, .blank',
  queues: '.message, .blank',
  blobs: '.blob-list, .blank',
  sas: '.words',
  live: '.chart svg',
  partitions: '.heat-map, .blank',
};

/** Goes to another place, as `tables/orders`, and waits for its contents. */
export async function goTo(page: Page, place: string): Promise<void> {
  await page.goto(`${new URL(page.url()).origin}/#/${ACCOUNT}/${place}`);
  await page
    .locator(READY[/^\w*/.exec(place)?.[0] ?? ''] ?? '')
    .first()
    .waitFor();
}

/** Opens the menu of a table, a queue or a blob, and chooses from it. */
export async function choose(page: Page, what: string, item: string): Promise<void> {
  await button(page, `More about this ${what}`).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

export interface World {
  readonly stage: Stage;
  readonly browser: Browser;
  /** A signed-in page at a place. The test fails if the page complains. */
  open(t: TestContext, place?: string, options?: BrowserContextOptions): Promise<Page>;
}

/** Opens the world before the tests of the suite, and closes it after them. */
export function openWorld(fill: (stage: Stage) => Promise<void>): () => World {
  let world: World | undefined;
  before(async () => {
    if (WITH_BROWSER.skip) return;
    const stage = await openStage();
    await fill(stage);
    const browser = await openBrowser();
    const open: World['open'] = async (t, place = '', options = {}) => {
      const { page, complaints } = await openPage(browser, await printLink(stage), options);
      t.after(async () => {
        await page.context().close();
        assert.deepEqual(complaints, []);
      });
      await page.getByRole('heading', { name: ACCOUNT }).waitFor();
      await goTo(page, place);
      return page;
    };
    world = { stage, browser, open };
  });
  after(async () => {
    await world?.browser.close();
    await world?.stage.close();
  });
  return () => world ?? assert.fail('There is no world.');
}
