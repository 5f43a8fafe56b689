// A table that rows are written to: created if it is missing and that is allowed, with the policies from the input.
import { type Endpoint, errorOf, failureOf, type SourceContext } from '../source/endpoint.js';
import { offerPolicies, type Policy, policiesOfTable } from '../source/policies.js';
import { untilFree } from '../source/space.js';
import { TableRows } from '../source/table-rows.js';
import { ToolError } from '../source/tool-error.js';

export class TargetTable {
  readonly name: string;
  readonly endpoint: Endpoint;
  /** The rows that it has now. */
  readonly rows: TableRows;
  readonly #context: SourceContext;
  #creating: Promise<boolean> | undefined;

  constructor(endpoint: Endpoint, name: string, context: SourceContext) {
    this.endpoint = endpoint;
    this.name = name;
    this.rows = new TableRows(endpoint);
    this.#context = context;
  }

  /**
   * Creates the table; false if it existed. @throws ToolError notThere, if a signature does not allow that; denied, if
   * the key is wrong.
   */
  create(): Promise<boolean> {
    this.#creating ??= this.#create();
    return this.#creating;
  }

  #create(): Promise<boolean> {
    return untilFree(`Table ${this.name}`, this.endpoint, this.#context, async () => {
      const { status, value, isRepeated } = await this.endpoint.send({
        method: 'POST',
        path: '/Tables',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json;odata=nometadata',
          prefer: 'return-no-content',
        },
        body: JSON.stringify({ TableName: this.name }),
        read: answer => ({ answer, ...errorOf(answer) }),
      });
      if (status < 300) return true;
      if (status === 409 && value.code !== 'TableBeingDeleted') return isRepeated;
      // An account's key may create any table: if it is refused, it is the wrong one.
      if ((status === 403 || status === 401) && !this.endpoint.address.hasKey)
        throw new ToolError(
          'notThere',
          `Table ${this.name} is not at ${this.endpoint.name}, or may not be read, and this address may not make it.`,
        );
      if (status === 409) return undefined;
      throw failureOf(this.endpoint, `the creation of table ${this.name}`, value.answer);
    });
  }

  /** Whether the server answers another request at the first attempt; waits until it answers at all. */
  async isWell(): Promise<boolean> {
    const { isRepeated } = await this.endpoint.send({
      method: 'GET',
      path: `/${this.name}()`,
      query: { $top: '1' },
      headers: { accept: 'application/json;odata=nometadata' },
      read: ({ status }) => status,
    });
    return !isRepeated;
  }

  /** Sets policies if the table has none of its own; returns whether it did. */
  setPolicies(policies: readonly Policy[]): Promise<boolean> {
    return offerPolicies(this.endpoint, policiesOfTable(this.name), policies);
  }
}
