// Checks the catalogue's records: each decodes, is in the form in which it is written, and names only ids and ticks
// that the counters have issued. check-rows.ts checks the rows.
import { type Space, StoreError } from '#store';
import { CHUNK_MAX } from '../environment.js';
import { SPACE_BYTES } from '../layout/branches.js';
import {
  COUNTERS_KEY,
  DROPPED_TAG,
  decodeCounters,
  decodeFormat,
  decodeLogMark,
  decodeSpace,
  FORMAT_KEY,
  FORMAT_LOGGED,
  FORMAT_PLAIN,
  isUnread,
  LOG_KEY,
  type LogFence,
  SPACE_TAG,
  type SpaceKey,
  writeSpaceKey,
} from '../layout/catalog.js';
import { decodeText, SPACE_ID_MAX } from '../layout/rows.js';
import type { Findings } from './findings.js';
import type { Entry } from './page-tree.js';

export class CheckedCatalog {
  chunk: number | undefined;
  log: LogFence | undefined;
  counters = { tick: 0n, spaceId: 0, subtreeId: 0 };
  readonly living = new Map<number, Space>();
  /** When each was dropped, in ticks. */
  readonly dropped = new Map<number, bigint>();
  readonly #findings: Findings;
  #version = 0;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  /** Fails with `unsupported` for the record of a newer format. */
  add({ key, value }: Entry): void {
    if (key.equals(FORMAT_KEY)) this.#addFormat(value);
    else this.#findings.guard('catalog', () => this.#add(key, value));
  }

  /** Call after all records were added. */
  finish(): void {
    const { tick, spaceId } = this.counters;
    for (const { id, name, created } of this.living.values()) {
      if (id > spaceId) this.#report(`the space '${name}' has the id ${id}, which was not given out`);
      if (created > tick) this.#report(`the space '${name}' was created after the last tick`);
    }
    for (const id of this.dropped.keys()) {
      if (id > spaceId) this.#report(`the id ${id} of a dropped space was not given out`);
    }
    if (this.log !== undefined && this.log.tick > tick)
      this.#report('the record of the log has a tick that was not given out');
    if (this.chunk !== undefined && isUnread(this.log) !== (this.#version === FORMAT_LOGGED))
      this.#report('the format record and the record of the log contradict each other');
  }

  #add(key: Buffer, value: Buffer): void {
    if (key.equals(COUNTERS_KEY)) this.counters = decodeCounters(value);
    else if (key.equals(LOG_KEY)) this.log = decodeLogMark(value);
    else if (key[0] === SPACE_TAG) this.#addSpace(key, value);
    else if (key[0] === DROPPED_TAG && key.length === 1 + SPACE_BYTES)
      this.#addDropped(key.readUInt32BE(1), value);
    else throw new Error(`the record ${key.toString('hex')} is of no known kind.`);
  }

  #addFormat(value: Buffer): void {
    const format = this.#findings.guard('catalog', () => decodeFormat(value));
    if (format === undefined) return;
    const { version, chunk } = format;
    if (version > FORMAT_LOGGED)
      throw new StoreError(
        'unsupported',
        `The store has format ${version}; this program knows formats up to ${FORMAT_LOGGED}.`,
      );
    if (version < FORMAT_PLAIN || chunk < 1 || chunk > CHUNK_MAX)
      this.#report('the format record is none that this program writes');
    else {
      this.chunk = chunk;
      this.#version = version;
    }
  }

  #addSpace(key: Buffer, value: Buffer): void {
    const account = key.indexOf(0);
    const service = key.indexOf(0, account + 1);
    if (account < 0 || service < 0) throw new Error('the name of a space has not three parts.');
    const names: SpaceKey = [
      decodeText(key, 1, account),
      decodeText(key, account + 1, service),
      decodeText(key, service + 1, key.length),
    ];
    const written = Buffer.alloc(key.length);
    if (writeSpaceKey(names, written, 0) !== key.length || !written.equals(key))
      throw new Error('the name of a space is not in the form that this program writes.');
    const space = decodeSpace(value, ...names);
    if (!this.#isFree(space.id))
      throw new Error(`'${space.name}' has the id ${space.id}, which is no id or another's.`);
    this.living.set(space.id, space);
  }

  #addDropped(id: number, value: Buffer): void {
    if (value.length !== 8 || !this.#isFree(id))
      throw new Error(`the record of the dropped space ${id} is damaged.`);
    this.dropped.set(id, value.readBigUInt64BE());
  }

  #isFree(id: number): boolean {
    return id >= 1 && id <= SPACE_ID_MAX && !this.living.has(id) && !this.dropped.has(id);
  }

  #report(sentence: string): void {
    this.#findings.add(`catalog: ${sentence}.`);
  }
}
