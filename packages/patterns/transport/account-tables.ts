// The requests of the Table service about tables themselves: make one, drop one, list names. A table that exists, is missing or is being deleted is an answer here and no error.
import type { CallOptions } from '../concurrency/abort.js';
import { isObject } from '../values/is-object.js';
import type { Sender } from './sender.js';
import { requestError, type ServiceRefusal } from './service-refusal.js';
import { answered, checkWritten } from './table-requests.js';

/** `deleting`: the name is not free yet. */
export type CreatedTable = 'made' | 'there' | 'deleting';
type DeletedTable = 'deleted' | 'gone' | 'deleting';

/** Names of tables, and when the service gave them, by its own clock. */
interface TablesPage {
  readonly names: readonly string[];
  readonly date: Date | undefined;
}

const ACCEPT = { Accept: 'application/json;odata=nometadata' } as const;

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
    const sent = await this.#sender.send({
      method: 'POST',
      path: 'Tables',
      headers: { ...ACCEPT, 'Content-Type': 'application/json', Prefer: 'return-no-content' },
      body: JSON.stringify({ TableName: table }),
      signal,
    });
    return answered<CreatedTable>(
      sent,
      refusal => {
        if (refusal.code === 'TableAlreadyExists') return 'there';
        if (refusal.code === 'TableBeingDeleted') return 'deleting';
        throw requestError(refusal, table);
      },
      answer => {
        checkWritten(answer);
        return 'made';
      },
    );
  }

  async delete(table: string, { signal }: CallOptions = {}): Promise<DeletedTable> {
    const path = `Tables('${table}')`;
    const sent = await this.#sender.send({ method: 'DELETE', path, headers: ACCEPT, signal });
    return answered<DeletedTable>(
      sent,
      refusal => {
        if (refusal.code === 'TableBeingDeleted') return 'deleting';
        if (refusal.status === 404) return 'gone';
        throw requestError(refusal, table);
      },
      answer => {
        checkWritten(answer);
        return 'deleted';
      },
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
      const sent = await this.#sender.send({ method: 'GET', path: 'Tables', query, headers: ACCEPT, signal });
      const refused = (refusal: ServiceRefusal): never => {
        throw requestError(refusal);
      };
      const { next, ...page } = answered(sent, refused, ({ text, header }) => ({
        names: namesIn(text),
        date: dateIn(header('date')),
        next: header('x-ms-continuation-nexttablename'),
      }));
      yield page;
      if (next === undefined) return;
      NextTableName = next;
    }
  }
}
