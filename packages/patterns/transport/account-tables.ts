// The requests of the Table service about tables themselves: make one, drop one, list names. A table that exists, is missing or is being deleted is an answer here and no error.
import type { CallOptions } from '../concurrency/abort.js';
import { isObject } from '../values/is-object.js';
import type { Sender, TableAnswer, TableRequest } from './sender.js';
import { requestError } from './service-refusal.js';
import { heard, isDone, refusalOf } from './table-requests.js';

/** `deleting`: the name is not free yet. */
export type CreatedTable = 'made' | 'there' | 'deleting';
type DeletedTable = 'deleted' | 'gone' | 'deleting';

/** Names of tables, and when the service gave them, by its own clock. */
interface TablesPage {
  readonly names: readonly string[];
  readonly date: Date | undefined;
}

const ACCEPT = { Accept: 'application/json;odata=nometadata' } as const;

function namesIn(text: string): readonly string[] {
  const body: unknown = JSON.parse(text);
  const rows: unknown = isObject(body) ? body.value : undefined;
  return Array.isArray(rows) ? rows.flatMap(row => (isObject(row) ? [String(row.TableName)] : [])) : [];
}

function dateIn(text: string | undefined): Date | undefined {
  const date = new Date(text ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

export class AccountTables {
  readonly #sender: Sender;

  constructor(sender: Sender) {
    this.#sender = sender;
  }

  async create(table: string, { signal }: CallOptions = {}): Promise<CreatedTable> {
    const answer = await this.#answer({
      method: 'POST',
      path: 'Tables',
      headers: { ...ACCEPT, 'Content-Type': 'application/json', Prefer: 'return-no-content' },
      body: JSON.stringify({ TableName: table }),
      signal,
    });
    if (isDone(answer)) return 'made';
    const refusal = refusalOf(answer);
    if (refusal.code === 'TableAlreadyExists') return 'there';
    if (refusal.code === 'TableBeingDeleted') return 'deleting';
    throw requestError(refusal, table);
  }

  async delete(table: string, { signal }: CallOptions = {}): Promise<DeletedTable> {
    const path = `Tables('${table}')`;
    const answer = await this.#answer({ method: 'DELETE', path, headers: ACCEPT, signal });
    if (isDone(answer)) return 'deleted';
    const refusal = refusalOf(answer);
    if (refusal.code === 'TableBeingDeleted') return 'deleting';
    if (refusal.status === 404) return 'gone';
    throw requestError(refusal, table);
  }

  /** The tables whose names are from one text up to another, by pages. */
  async *list(
    { from, to }: { readonly from: string; readonly to: string },
    { signal }: CallOptions = {},
  ): AsyncGenerator<TablesPage, void, undefined> {
    const $filter = `TableName ge '${from}' and TableName lt '${to}'`;
    for (let NextTableName: string | undefined; ; ) {
      const query = { $filter, NextTableName };
      const answer = await this.#answer({ method: 'GET', path: 'Tables', query, headers: ACCEPT, signal });
      if (!isDone(answer)) throw requestError(refusalOf(answer));
      yield { names: namesIn(answer.text), date: dateIn(answer.header('date')) };
      NextTableName = answer.header('x-ms-continuation-nexttablename');
      if (NextTableName === undefined) return;
    }
  }

  /** Throws Unreachable. */
  async #answer(request: TableRequest): Promise<TableAnswer> {
    return heard(await this.#sender.send(request));
  }
}
