// The crash matrix finds faults that are planted in the library, each by the case that is made for it and in the words that fit it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { onlyIn } from '../../support/slow.js';
import { chanceOf, SEED } from '../support/seeded.js';
import type { Planting } from './plant.js';
import type { Crash } from './process.js';

/** In `npm run verify patterns`, by the run's seed. */
const SHARE = process.env.PATTERN_FULL === undefined ? 0.25 : 1;

interface PlantedFault extends Planting {
  readonly name: string;
  /** The file of the case that finds it, and its name. */
  readonly by: keyof typeof FOUND;
  readonly case: string;
  /** At each request in turn. */
  readonly crash: Crash;
  /** The words that the failure must have. */
  readonly words: RegExp;
}

/** The words of each file's case that finds faults. */
const FOUND = {
  flows: /The copy is not what the row says/,
  moves: /still where it was/,
  derived: /The audit found/,
} as const;
const CASES = { flows: 'a copy that follows its row', moves: 'a row that is moved' } as const;

/** Of one case of a file, found by these words, or by the file's. */
const planted =
  (
    by: keyof typeof FOUND,
    file: string,
    name: string = CASES[by as keyof typeof CASES],
    words: RegExp = FOUND[by],
  ) =>
  (title: string, crash: Crash, ...changes: PlantedFault['changes']): PlantedFault => ({
    name: title,
    file,
    changes,
    by,
    case: name,
    crash,
    words,
  });

const delivery = planted('flows', 'flows/worker.js');
const moves = (words?: RegExp) => planted('moves', 'flows/move.js', undefined, words);

const PLANTED_FAULTS: readonly PlantedFault[] = [
  planted('flows', 'flows/follow.js')('a worker that does not look at the row again', 'lags', [
    'if (again?.etag === row?.etag)',
    'if (true)',
  ]),
  delivery('a worker that does not wait for the write of its message', 'stalls', [
    'isPending ? this.#wait(held, envelope) :',
    '',
  ]),
  delivery('a worker that deletes the message before its steps', 'dies after', [
    'const holding = hold(',
    'await this.#queue.delete(this.#message);\nconst holding = hold(',
  ]),
  delivery('no redelivery behind a stalled worker', 'stalls and dies', [
    '!envelope.isRedelivery && redeliverAfter > 0',
    'false',
  ]),
  planted('flows', 'flows/flow.js')(
    'the entity before its message',
    'dies after',
    [
      'const sent = await this.announce(db, input, operationId, { after, ...options });',
      'const early = await write(new Db({ ...service, operationIds: operationIds && new AnnouncedIds(operationIds, operationId) }));\nconst sent = await this.announce(db, input, operationId, { after, ...options });',
    ],
    ['() => write(new Db({ ...service, operationIds: own }))', 'async () => early'],
  ),
  moves(/in neither table/)('a move that deletes before it writes', 'dies after', [
    'if (going === undefined || !(await this.#copy(going)))',
    'if (going !== undefined) await unlessLost(() => this.#from.delete(going, {}));\nif (going === undefined || !(await this.#copy(going)))',
  ]),
  moves(/views, and had|in neither table|last version is lost/)(
    'a move that deletes whatever is there',
    'lags',
    [
      'await this.#from.delete(going, { signal });',
      "await this.#from.deleteIfExists({ key: this.#key, etag: '*' });",
    ],
  ),
  moves()('a move that does not try again after a 412', 'lags', ['return gone ?? false;', 'return true;']),
  planted('flows', 'flows/poison.js', 'a message that is put aside', /0 were put aside/)(
    'a poisoned message that is deleted before it is put aside',
    'dies after',
    ['await to.send(', 'await from.delete(message);\nawait to.send('],
    ['    await from.delete(message);\n}', '}'],
  ),
  planted('flows', 'flows/outbox.js', 'an outbox')(
    'an outbox whose row goes before its message is sent',
    'dies after',
    ['await flow.start(db, inputIn(flow, row), { id, ...options });', 'inputIn(flow, row);'],
    [
      "return { ...address, kind: 'sent'",
      "await flow.start(db, inputIn(flow, row), { id, ...options });\nreturn { ...address, kind: 'sent'",
    ],
  ),
  planted('derived', 'derived/near/near.js', 'near indexes of rows that are read and written')(
    'an index row that stays where the key has changed',
    'dies after',
    ['if (old !== undefined && !isSameKey)', 'if (old !== undefined && row === undefined)'],
  ),
  planted('derived', 'derived/near/near.js', 'near indexes of rows that are written over')(
    'a unique index row without a condition',
    'dies after',
    ['if (!unique)', 'if (true)'],
  ),
];

/** Runs a case with one kind of crash at each request, in a process of its own. */
async function runWith({ by, case: name, crash, file, changes }: Omit<PlantedFault, 'name' | 'words'>) {
  const plant = new URL('plant.js', import.meta.url).href;
  const { NODE_TEST_CONTEXT: _, MATRIX_PLAN: _plan, ...env } = process.env;
  const child = spawn(
    process.execPath,
    ['--import', plant, fileURLToPath(new URL(`${by}.test.js`, import.meta.url))],
    {
      env: {
        ...env,
        PLANTED_FAULT: JSON.stringify({ file, changes }),
        MATRIX_CASE: name,
        MATRIX_CRASH: crash,
        SHELFMARK_PEERS: 'memory',
      },
    },
  );
  const ended = new Promise<number | null>(resolve => child.once('close', resolve));
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, output: output + errors };
}

describe('faults planted in the library', { skip: onlyIn('patterns') }, () => {
  const chance = chanceOf(SEED);
  test('are what fails: without one, the case of the first passes', async () => {
    const [fault] = PLANTED_FAULTS;
    assert(fault);
    const { code, output } = await runWith({ ...fault, changes: [] });
    assert.equal(code, 0, output);
    assert.match(output, /\bpass [1-9]/);
  });
  for (const fault of PLANTED_FAULTS.filter(() => chance() < SHARE))
    test(`${fault.name} is found`, async () => {
      const { code, output } = await runWith(fault);
      assert.notEqual(code, 0, 'Nothing was found.');
      assert.match(output, fault.words);
    });
});
