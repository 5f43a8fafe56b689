// Faults that are planted in the library's compiled code: a text and its replacement. The crash matrix must find each fault. A text that does not occur exactly once is an error, so that
// a change to the library also updates its faults.
import type { Crash } from './process.js';

export interface PlantedFault {
  readonly name: string;
  /** Below packages/patterns. */
  readonly file: string;
  readonly changes: readonly (readonly [text: string, instead: string])[];
  /** The file of the case that finds it, and its name. */
  readonly by: string;
  readonly case: string;
  /** At each request in turn. */
  readonly crash: Crash;
  /** The words that the failure must have. */
  readonly words: RegExp;
}

const COPY = {
  by: 'flows',
  case: 'a copy that follows its row',
  words: /The copy is not what the row says/,
} as const;
const MOVE = { by: 'moves', case: 'a row that is moved', file: 'flows/move.js' } as const;
const INDEX = { by: 'indexes', words: /Index rows are not what people are/, crash: 'dies after' } as const;
const CREATED = 'indexes of rows that are created, changed and deleted';
const OVER = 'indexes of rows that are written over';

export const PLANTED_FAULTS: readonly PlantedFault[] = [
  {
    ...COPY,
    name: 'a worker that does not look at the row again',
    file: 'flows/follow.js',
    changes: [['if (again?.etag === row?.etag)', 'if (true)']],
    crash: 'lags',
  },
  {
    ...COPY,
    name: 'a worker that does not wait for the write of its message',
    file: 'flows/delivery.js',
    changes: [["isPending ? 'pending' : 'done'", "'done'"]],
    crash: 'stalls',
  },
  {
    ...COPY,
    name: 'a worker that deletes the message before its steps',
    file: 'flows/delivery.js',
    changes: [
      [
        'const { outcome, held } = await',
        'await this.#queue.delete(this.#message);\nconst { outcome, held } = await',
      ],
    ],
    crash: 'dies after',
  },
  {
    ...COPY,
    name: 'no redelivery behind a stalled worker',
    file: 'flows/delivery.js',
    changes: [['!envelope.isRedelivery && redeliverAfter > 0', 'false']],
    crash: 'stalls and dies',
  },
  {
    ...COPY,
    name: 'the entity before its message',
    file: 'flows/flow.js',
    changes: [
      [
        'const sent = await this.announce(db, input, operationId, { after, ...options });',
        'const early = await write(new Db({ ...service, operationIds: operationIds?.beginningWith(operationId) }));\nconst sent = await this.announce(db, input, operationId, { after, ...options });',
      ],
      ['() => write(new Db({ ...service, operationIds: own }))', 'async () => early'],
    ],
    crash: 'dies after',
  },
  {
    ...MOVE,
    name: 'a move that deletes before it writes',
    changes: [
      [
        'if (going === undefined || !(await this.#copy(going)))',
        'if (going !== undefined) await unlessLost(() => this.#from.delete(going, {}));\nif (going === undefined || !(await this.#copy(going)))',
      ],
    ],
    crash: 'dies after',
    words: /in neither table/,
  },
  {
    ...MOVE,
    name: 'a move that deletes whatever is there',
    changes: [
      [
        'await this.#from.delete(going, { signal });',
        "await this.#from.deleteIfExists({ key: this.#key, etag: '*' });",
      ],
    ],
    crash: 'lags',
    words: /views, and had|in neither table|last version is lost/,
  },
  {
    ...MOVE,
    name: 'a move that does not try again after a 412',
    changes: [['return gone ?? false;', 'return true;']],
    crash: 'lags',
    words: /still where it was/,
  },
  {
    by: 'flows',
    case: 'a message that is put aside',
    name: 'a poisoned message that is deleted before it is put aside',
    file: 'flows/poison.js',
    changes: [
      ['await to.send(', 'await from.delete(message);\nawait to.send('],
      ['    await from.delete(message);\n}', '}'],
    ],
    crash: 'dies after',
    words: /0 were put aside/,
  },
  {
    ...COPY,
    case: 'an outbox',
    name: 'an outbox whose row goes before its message is sent',
    file: 'flows/outbox.js',
    changes: [
      ['await flow.start(db, inputIn(flow, row), { id, ...options });', 'inputIn(flow, row);'],
      [
        "return { ...address, kind: 'sent'",
        "await flow.start(db, inputIn(flow, row), { id, ...options });\nreturn { ...address, kind: 'sent'",
      ],
    ],
    crash: 'dies after',
  },
  {
    ...INDEX,
    case: CREATED,
    name: 'an index row that stays where the key has changed',
    file: 'derived/near/index-write.js',
    changes: [['if (old !== undefined && !isSameKey)', 'if (old !== undefined && row === undefined)']],
  },
  {
    ...INDEX,
    case: OVER,
    name: 'a unique index row without a condition',
    file: 'derived/near/index-write.js',
    changes: [['if (!unique)', 'if (true)']],
  },
];
