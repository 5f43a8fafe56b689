// The requests of the Table service about tables themselves: make one, drop one, list names. A table that exists, is missing or is being deleted is an answer here and no error.
import type { CallOptions } from '../concurrency/abort.js';
import { isObject } from '../values/is-object.js';
import { resultOf, type Sender, type TableRequest } from './sender.js';
import { requestError, type ServiceRefusal } from './service-refusal.js';
import { checkWritten } from './table-requests.js';

/** `deleting`: the name is not free yet. */
export type CreatedTable = 'made' | 'there' | 'deleting';
type DeletedTable = 'deleted' | 'gone' | 'deleting';

/** Names of tables, and when the service gave them, by its own clock. */
interface TablesPage {
  readonly names: readonly string[];
  readonly date: Date | undefined;
}

const ACCEPT = { Accept: 'application/json;odata=nometadata' } as const;

const CREATE_REFUSALS: Readonly<Record<string, CreatedTable>> = {
  TableAlreadyExists: 'there',
  TableBeingDeleted: 'deleting',
};

/** Throws SyntaxError. */
function namesIn(text: string): readonly string[] {
  const body: unknown = JSON.parse(text);
  const rows: unknown = isObject(body) ? body.value : undefined;
  if (!Array.isArray(rows)) throw new SyntaxError('The answer is not a list of tables.');
  return rows.flatMap(row => (isObject(row) ? [String(row.TableName)] : []));
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
    const request = {
      method: 'POST',
      path: 'Tables',
      headers: { ...ACCEPT, 'Content-Type': 'application/json', Prefer: 'return-no-content' },
      body: JSON.stringify({ TableName: table }),
      signal,
    } as const;
    return this.#changed<CreatedTable>(table, request, 'made', ({ code }) => CREATE_REFUSALS[code]);
  }

  async delete(table: string, { signal }: CallOptions = {}): Promise<DeletedTable> {
    const request = { method: 'DELETE', path: `Tables('${table}')`, headers: ACCEPT, signal } as const;
    return this.#changed<DeletedTable>(table, request, 'deleted', ({ code, status }) =>
      code === 'TableBeingDeleted' ? 'deleting' : status === 404 ? 'gone' : undefined,
    );
  }

  /** The tables whose names are from one text up to another, by pages. */
  async *list(
    { from, to }: { readonly from: string; readonly to: string },
    { signal }: CallOptions = {},
  ): AsyncGenerator<TablesPage, void, undefined> {
    const $filter = `TableName ge '${from}' and TableName lt '${to}'`;
    for (let NextTableName: string | undefined; ; ) {
      const query = { $filter, NextTableName };
      const request = { method: 'GET', path: 'Tables', query, headers: ACCEPT, signal } as const;
      const sent = await this.#sender.send(request, ({ text, header }) => {
        const value = { names: namesIn(text), date: dateIn(header('date')) };
        return {
          kind: 'done',
          value: { ...value, next: header('x-ms-continuation-nexttablename') },
        } as const;
      });
      const { next, ...page } = resultOf(sent, refusal => {
        throw requestError(refusal);
      });
      yield page;
      if (next === undefined) return;
      NextTableName = next;
    }
  }

  /** `meaningOf` gives what a refusal means; undefined where it is an error. */
  async #changed<T>(
    table: string,
    request: TableRequest,
    value: T,
    meaningOf: (refusal: ServiceRefusal) => T | undefined,
  ): Promise<T> {
    const sent = await this.#sender.send(request, answer => {
      checkWritten(answer);
      return { kind: 'done', value } as const;
    });
    return resultOf(sent, refusal => {
      const meaning = meaningOf(refusal);
      if (meaning === undefined) throw requestError(refusal, table);
      return meaning;
    });
  }
}
