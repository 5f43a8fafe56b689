// One browser and one stage for the scenarios of a file: each opens a page of its own.
import assert from 'node:assert/strict';
import { after, before, type TestContext } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { NO_BROWSER, openBrowser, openPage } from './browser.js';
import { openStage, type Stage } from './stage.js';

export const ACCOUNT = 'devstoreaccount1';
const LINK_PAUSE = 6_000;

export interface World {
  readonly stage: Stage;
  readonly browser: Browser;
  /** A signed-in page at a place, as `tables/orders`. The test fails if the page complains. */
  open(t: TestContext, place?: string, options?: BrowserContextOptions): Promise<Page>;
}

/** A new link of the stage, asked for as the sign-in page does. */
export async function nextLink(stage: Stage): Promise<string> {
  stage.pass(LINK_PAUSE);
  const { url } = stage.explorer;
  const response = await fetch(`${url}/session/link`, {
    method: 'POST',
    headers: { origin: url },
    body: '{}',
  });
  assert.equal(response.status, 201);
  return stage.links.at(-1) ?? '';
}

/** Opens the world before the tests of the suite, and closes it after them. */
export function openWorld(fill: (stage: Stage) => Promise<void>): () => World {
  let world: World | undefined;
  before(async () => {
    if (NO_BROWSER) return;
    const stage = await openStage();
    await fill(stage);
    const browser = await openBrowser();
    const open: World['open'] = async (t, place = '', options = {}) => {
      const { page, complaints } = await openPage(browser, await nextLink(stage), options);
      t.after(async () => {
        await page.context().close();
        assert.deepEqual(complaints, []);
      });
      await page.getByRole('heading', { name: ACCOUNT }).waitFor();
      if (place !== '') await page.goto(`${stage.explorer.url}/#/${ACCOUNT}/${place}`);
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
