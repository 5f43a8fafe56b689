// A query read page by page, and continued by another client from the continuation token alone.
import assert from 'node:assert/strict';
import type { TableClient } from '@azure/data-tables';
import { count } from '../stage/report.js';
import type { Stage } from '../stage/stage.js';
import { ownProperties } from './answer.js';

const STATE = 'AK';
const PAGE_ROWS = 100;

interface Page {
  readonly rows: Record<string, unknown>[];
  readonly token: string | undefined;
}

async function readPage(client: TableClient, token?: string): Promise<Page> {
  const queryOptions = { filter: `PartitionKey eq '${STATE}'` };
  const start = token === undefined ? {} : { continuationToken: token };
  const pages = client.listEntities({ queryOptions }).byPage({ maxPageSize: PAGE_ROWS, ...start });
  for await (const page of pages) return { rows: page.map(ownProperties), token: page.continuationToken };
  return { rows: [], token: undefined };
}

export async function paging({ report, log, airports, connect }: Stage): Promise<void> {
  report.chapter('Paging by continuation', `${PAGE_ROWS} rows a page, each page read by a new client`);
  report.fact('question', 'Which airports are in Alaska?');
  report.fact('filter', `PartitionKey eq '${STATE}'`);
  const rows: Record<string, unknown>[] = [];
  let token: string | undefined;
  do {
    log.take();
    const page = await readPage(connect('airports'), token);
    const exchanges = log.take();
    assert.equal(exchanges.length, 1);
    for (const exchange of exchanges) report.sent(exchange);
    const last = page.rows.at(-1)?.rowKey;
    report.served(exchanges, `${count(page.rows.length, 'row')}, ${page.rows[0]?.rowKey} to ${last}`);
    rows.push(...page.rows);
    token = page.token;
  } while (token !== undefined);
  assert.deepEqual(
    rows,
    airports.dataset.entities.filter(e => e.partitionKey === STATE),
  );
  report.fact(
    'result',
    `${count(rows.length, 'row')}, none skipped, none twice. NextPartitionKey and NextRowKey, from the headers of the page before, are all that is remembered, and the client remembers it.`,
  );
}
