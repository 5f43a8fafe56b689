// What the clients of a Table service have learned from its answers, so that an action, which refers to them, becomes a
// call.
import { etagOf } from '../../histories/tick.js';
import type { Answer, Call, Write } from '../judge/history.js';
import type { TableAction } from '../plan/step.js';

const FOREIGN_ETAG = `W/"datetime'2001-02-03T04%3A05%3A06.0000007Z'"`;
const MALFORMED_ETAG = 'latest';

const entityName = (table: string, partition: string, key: string): string =>
  JSON.stringify([table.toLowerCase(), partition, key]);

export class TableCaller {
  /** By entity, the versions that any client saw, in that order. */
  readonly #versions = new Map<string, bigint[]>();
  /** By client, the call for the next page. */
  readonly #following = new Map<number, Call>();

  callOf(action: TableAction, client: number): Call | undefined {
    switch (action.kind) {
      case 'writes': {
        const { table, writes } = action;
        return { ...action, writes: writes.map(each => ({ ...each, ifMatch: this.#ifMatch(table, each) })) };
      }
      case 'nextPage': {
        const call = this.#following.get(client);
        this.#following.delete(client);
        return call;
      }
      case 'jump':
      case 'reopen':
      case 'crash':
        return undefined;
      default:
        return action;
    }
  }

  learn(client: number, call: Call, answer: Answer): void {
    if (call.kind === 'writes') {
      answer.versions.forEach((version, i) => {
        const write = call.writes[i];
        if (write) this.#saw(call.table, write, version);
      });
    }
    if ('table' in call) for (const entity of answer.entities) this.#saw(call.table, entity, entity.version);
    if (call.kind === 'page' && answer.next) this.#following.set(client, { ...call, from: answer.next });
    if (call.kind === 'queryTables' && answer.nextTable !== undefined)
      this.#following.set(client, { ...call, from: answer.nextTable });
  }

  #ifMatch(table: string, { partition, key, match }: Write): string | undefined {
    const versions = this.#versions.get(entityName(table, partition, key)) ?? [];
    const last = versions.at(-1);
    switch (match) {
      case 'absent':
        return undefined;
      case 'any':
        return '*';
      case 'malformed':
        return MALFORMED_ETAG;
      case 'last':
        return last === undefined ? FOREIGN_ETAG : etagOf(last);
      case 'earlier': {
        const earlier = versions.findLast(version => version !== last);
        return earlier === undefined ? FOREIGN_ETAG : etagOf(earlier);
      }
      case 'foreign':
        return FOREIGN_ETAG;
    }
  }

  #saw(table: string, place: { partition: string; key: string }, version: bigint | undefined): void {
    if (version === undefined) return;
    const name = entityName(table, place.partition, place.key);
    const versions = this.#versions.get(name);
    if (versions) versions.push(version);
    else this.#versions.set(name, [version]);
  }
}
