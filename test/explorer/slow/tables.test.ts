// Tables in the explorer: the grid, the filter box, the editor and its conflicts, each against a real server.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '#base/testing/until';
import { putEveryType, putOrders, putWide, tableClient } from '../contents.js';
import { button, choose, openWorld, WITH_BROWSER } from '../world.js';

const cellTexts = (page: Page): Promise<string[]> =>
  page.locator('.grid-row').first().locator('[role=gridcell]').allInnerTexts();

describe('tables', WITH_BROWSER, () => {
  const world = openWorld(async ({ server }) => {
    await putOrders(server, 30, 100);
    await putEveryType(server);
    await putWide(server);
  });

  test('the grid reads on as it is scrolled, and draws only what is in sight', async t => {
    const page = await world().open(t, 'tables/orders');
    const scroll = (): Promise<void> =>
      page.locator('.grid').evaluate(grid => grid.scrollTo(0, grid.scrollHeight));
    const status = page.locator('.status').last();
    await until('all rows', async () => {
      await scroll();
      return (await status.innerText()).startsWith('3,000 entities\n');
    });
    await scroll();
    await page.getByText('customer-0030').first().waitFor();
    assert((await page.locator('.grid-row').count()) < 80);
    assert.equal(await page.locator('.grid').getAttribute('aria-rowcount'), '3001');
  });

  test('a scan reads on while the end is in sight, and asks after fifty pages without a row', async t => {
    const page = await world().open(t, 'tables/wide');
    let asked = 0;
    const next = { 'x-ms-continuation-nextpartitionkey': 'p', 'x-ms-continuation-nextrowkey': 'r' };
    await page.route(/orders\(\)/, async route => {
      const RowKey = String(++asked);
      const value = asked > 3 ? [] : [{ PartitionKey: 'p', RowKey, Timestamp: '2026-01-31T12:00:00Z' }];
      await route.fulfill({ json: { value }, headers: next });
    });
    await page.getByRole('link', { name: 'orders' }).first().click();
    await page.getByText('53 requests').waitFor();
    await button(page, 'Read more').waitFor();
    assert.equal(await page.locator('.grid-row').count(), 3);
    assert.equal(asked, 53);
  });

  test('values show their types where they differ, and absent is not empty', async t => {
    const page = await world().open(t, 'tables/everyType');
    const mixed = page.locator('.grid-row', { hasText: 'mixed' });
    await mixed.waitFor();
    assert.equal(await mixed.locator('.type-tag').first().innerText(), 'String');
    assert((await mixed.getByRole('gridcell', { name: 'absent' }).count()) > 0);
    await page.locator('.grid').evaluate(grid => grid.scrollTo(grid.scrollWidth, 0));
    await page.locator('.cell.empty').first().waitFor();
  });

  test('sixty columns, long keys and values of 64 KiB are drawn and opened', async t => {
    const page = await world().open(t, 'tables/wide');
    await page.locator('.grid-row').first().click();
    const text = page.getByLabel('Value of text');
    await text.waitFor();
    assert.equal((await text.inputValue()).length, 32_760);
    await page.locator('.grid').evaluate(grid => grid.scrollTo(grid.scrollWidth, 0));
    await page.getByRole('columnheader', { name: 'Timestamp' }).waitFor();
    const width = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    assert.equal(width, 0);
  });

  test('sorting, hiding and resizing columns is kept for the table', async t => {
    const page = await world().open(t, 'tables/orders');
    await page.getByRole('columnheader', { name: 'total' }).getByRole('button').click();
    await page.getByText('Sorted by total').waitFor();
    await page.getByRole('columnheader', { name: 'total' }).getByRole('button').click();
    const first = Number((await cellTexts(page)).find(text => /^\d+\.\d$/.test(text)));
    assert(first > 20, String(first));
    await button(page, 'Columns').click();
    await page.getByRole('checkbox', { name: 'city' }).uncheck();
    await button(page, 'Move state up').click();
    await page.reload();
    await page.locator('.grid-row').first().waitFor();
    assert.equal(await page.getByRole('columnheader', { name: 'city' }).count(), 0);
  });

  test('the filter box completes, classifies, marks errors and warns of scans', async t => {
    const page = await world().open(t, 'tables/orders');
    await page.keyboard.press('/');
    const filter = page.getByRole('combobox', { name: 'Filter' });
    await page.keyboard.type('Part');
    await page.keyboard.press('Tab');
    await page.keyboard.type("eq 'customer-0007' and RowKey eq 'order-000042'");
    assert.equal(await filter.inputValue(), "PartitionKey eq 'customer-0007' and RowKey eq 'order-000042'");
    await page.locator('.chip.point', { hasText: 'Point query' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('1 entity', { exact: true }).waitFor();
    await filter.fill('total >');
    await page.getByText('At character 7').waitFor();
    assert.equal(await filter.getAttribute('aria-invalid'), 'true');
    assert(await button(page, 'Run').isDisabled());
    await filter.fill('total gt 150.0');
    await page.locator('.chip.table-scan').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('This reads the whole table').waitFor();
    await button(page, 'Scan').click();
    await until(
      'a filtered grid',
      async () => Number((await cellTexts(page)).find(text => /^\d+\.\d$/.test(text))) > 150,
    );
    assert.match(page.url(), /filter=total\+gt\+150\.0/);
  });

  test('every type is edited without loss, by merge', async t => {
    const page = await world().open(t, 'tables/everyType');
    await page.locator('.grid-row', { hasText: 'extremes' }).click();
    await page.getByLabel('Value of anInt64').fill('-9223372036854775808');
    await page.getByLabel('Value of aDouble').fill('-0.0');
    await page.getByLabel('Value of anInt32').fill('2147483648');
    await page.getByText('Type a whole number from −2147483648').waitFor();
    assert(await button(page, 'Save').isDisabled());
    await page.getByLabel('Value of anInt32').fill('2147483647');
    await page.getByText('Sends 3 changed properties').waitFor();
    await button(page, 'Save').click();
    await page.getByText('Saved.').waitFor();
    const client = tableClient(world().stage.server, 'everyType');
    const entity = await client.getEntity<Record<string, unknown>>('p', 'extremes', {
      disableTypeConversion: true,
    });
    assert.deepEqual(entity.anInt64, { value: '-9223372036854775808', type: 'Int64' });
    assert.deepEqual(entity.aDateTime, { value: '2026-01-31T12:00:00.1234567Z', type: 'DateTime' });
    assert.deepEqual(entity.anInt32, { value: '2147483647', type: 'Int32' });
    assert.deepEqual(entity.aGuid, { value: '01234567-89ab-cdef-0123-456789abcdef', type: 'Guid' });
    assert.deepEqual(entity.aString, { value: 'Grüße, 世界', type: 'String' });
  });

  test('an entity is inserted, replaced and deleted', async t => {
    const page = await world().open(t, 'tables/everyType');
    await page.keyboard.press('n');
    await page.getByLabel('PartitionKey').fill('q');
    await page.getByLabel('RowKey').fill('made here');
    await button(page, 'Add property').click();
    await page.getByLabel('Name of the property').fill('note');
    await page.getByLabel('Value of note').fill('one');
    await button(page, 'Insert entity').click();
    await page.getByText('Saved.').waitFor();
    const client = tableClient(world().stage.server, 'everyType');
    assert.equal((await client.getEntity('q', 'made here')).note, 'one');
    await button(page, 'Remove note').click();
    await page.getByText('Only a replace removes note').waitFor();
    await button(page, 'Save').click();
    await until(
      'a replaced entity',
      async () => (await client.getEntity('q', 'made here')).note === undefined,
    );
    await choose(page, 'entity', 'Delete');
    await button(page, 'Delete').click();
    await page.getByText('Deleted.').waitFor();
    await assert.rejects(client.getEntity('q', 'made here'), { statusCode: 404 });
  });

  test('a conflict shows both versions, and they can be combined', async t => {
    const client = tableClient(world().stage.server, 'orders');
    const key = { partitionKey: 'customer-0001', rowKey: 'order-000001' };
    const page = await world().open(t, 'tables/orders');
    await page.locator('.grid-row').first().click();
    await page.getByLabel('Value of city').fill('Ours');
    await client.updateEntity({ ...key, state: 'theirs' }, 'Merge');
    await button(page, 'Save').click();
    const conflict = page.getByRole('region', { name: 'Conflict' });
    await conflict.getByText('Changed by someone else').waitFor();
    const rows = await conflict.getByRole('row').allInnerTexts();
    assert(
      rows.some(row => /^city\tOurs String/.test(row)),
      rows.join('\n'),
    );
    await conflict.getByRole('button', { name: 'Combine' }).click();
    await button(page, 'Save').click();
    await page.getByText('Saved.').waitFor();
    const { city, state } = await client.getEntity<Record<string, unknown>>(key.partitionKey, key.rowKey);
    assert.deepEqual([city, state], ['Ours', 'theirs']);
  });

  test('an entity that is deleted meanwhile can be inserted again', async t => {
    const client = tableClient(world().stage.server, 'orders');
    const page = await world().open(t, 'tables/orders');
    await page.locator('.grid-row').nth(1).click();
    await page.getByLabel('Value of city').fill('Again');
    await client.deleteEntity('customer-0001', 'order-000002');
    await button(page, 'Save').click();
    await page.getByText('Deleted by someone else').waitFor();
    await button(page, 'Insert it again').click();
    await page.getByText('Saved.').waitFor();
    assert.equal((await client.getEntity('customer-0001', 'order-000002')).city, 'Again');
  });

  test('changes are not lost by a click elsewhere, or by a key that comes before the page is painted', async t => {
    const page = await world().open(t, 'tables/orders');
    await page.locator('.grid-row').nth(4).click();
    await page.getByLabel('Value of city').focus();
    // The page renders in a microtask, and paints in a later task.
    const typeAndEscape = `(async () => {
      const field = document.activeElement;
      field.value = 'Kept';
      field.dispatchEvent(new InputEvent('input', { bubbles: true }));
      for (let turn = 0; turn < 10; turn++) await undefined;
      field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }));
    })()`;
    for (const leave of [
      () => page.evaluate(typeAndEscape),
      () => page.keyboard.press('Escape'),
      () => page.locator('.grid-row').nth(6).click(),
    ]) {
      await leave();
      await page.getByText('Discard your changes?').waitFor();
      await button(page, 'Cancel').click();
      assert.equal(await page.getByLabel('Value of city').inputValue(), 'Kept');
    }
  });

  test('a table is created, vanishes under the page, and is said to be gone', async t => {
    const page = await world().open(t);
    await button(page, 'New table').click();
    await page.getByRole('textbox', { name: /^Name/ }).fill('fresh');
    await button(page, 'Create').click();
    await page.getByText('This table is empty').waitFor();
    await tableClient(world().stage.server, 'fresh').deleteTable();
    await button(page, 'Read again').click();
    await page.getByText('TableNotFound').waitFor();
    await button(page, 'Reload the list of tables').click();
    await until(
      'a shorter list',
      async () => (await page.getByRole('link', { name: 'fresh' }).count()) === 0,
    );
  });

  test('the keyboard moves in the grid, opens what it is on, saves and closes it', async t => {
    const page = await world().open(t, 'tables/orders');
    await page.locator('.grid').focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
    assert.equal(await page.locator('.grid').getAttribute('aria-activedescendant'), 'cell-2-2');
    await page.keyboard.press('Control+c');
    await page.getByText('Copied city.').waitFor();
    assert.equal(await page.evaluate<string>('navigator.clipboard.readText()'), 'Ghent');
    await page.keyboard.press('Enter');
    await page.getByLabel('Value of city').fill('Typed');
    await button(page, 'Save').press('Enter');
    await page.getByText('Saved.').waitFor();
    await page.keyboard.press('Escape');
    await until('a closed editor', async () => (await page.getByLabel('Value of city').count()) === 0);
  });
});
