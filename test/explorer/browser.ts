// Debian's Chromium by playwright-core, which downloads no browser of its own.
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Of a wait for the page, on a machine that stands still for a while. */
const PATIENCE = 120_000;

/** A reason to skip, or false. */
export const NO_BROWSER = existsSync(CHROMIUM)
  ? false
  : `There is no ${CHROMIUM}: install Debian's chromium.`;

/** The options of a suite that needs it. */
export const WITH_BROWSER = { skip: NO_BROWSER };

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
