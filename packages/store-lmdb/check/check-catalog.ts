// Checks the catalogue's records: each decodes, is in the form in which it is written, and names only ids and ticks
// that the counters have issued. check-rows.ts checks the rows.
import { type Space, StoreError } from '#store';
import { CHUNK_MAX } from '../environment.js';
import {
  decodeLogMark,
  FORMAT_LOGGED,
  FORMAT_PLAIN,
  isUnread,
  type LogFence,
  type SpaceKey,
  writeSpaceKey,
} from '../layout/catalog.js';
import { decodeText, SPACE_ID_MAX } from '../layout/keys.js';
import type { Findings } from './findings.js';
import type { Entry } from './page-tree.js';

const FORMAT_TAG = 0x66;
const COUNTERS_TAG = 0x63;
const LOG_TAG = 0x6c;
const SPACE_TAG = 0x73;
const DROPPED_TAG = 0x64;

export class CheckedCatalog {
  chunk: number | undefined;
  log: LogFence | undefined;
  tick = 0n;
  spaceId = 0n;
  subtreeId = 0n;
  readonly living = new Map<number, Space>();
  /** When each was dropped, in ticks. */
  readonly dropped = new Map<number, bigint>();
  readonly #findings: Findings;
  #version = 0;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  add({ key, value }: Entry): void {
    const tag = key[0];
    if (tag === FORMAT_TAG && key.length === 1) this.#addFormat(value);
    else if (tag === COUNTERS_TAG && key.length === 1) this.#addCounters(value);
    else if (tag === LOG_TAG && key.length === 1) this.#findings.guard('catalog', () => this.#addLog(value));
    else if (tag === SPACE_TAG) this.#findings.guard('a space', () => this.#addSpace(key, value));
    else if (tag === DROPPED_TAG && key.length === 5) this.#addDropped(key.readUInt32BE(1), value);
    else this.#report(`the record ${key.toString('hex')} is of no known kind`);
  }

  /** Call after all records were added. */
  finish(): void {
    for (const { id, name, created } of this.living.values()) {
      if (BigInt(id) > this.spaceId)
        this.#report(`the space '${name}' has the id ${id}, which was not given out`);
      if (created > this.tick) this.#report(`the space '${name}' was created after the last tick`);
    }
    for (const id of this.dropped.keys()) {
      if (BigInt(id) > this.spaceId) this.#report(`the id ${id} of a dropped space was not given out`);
    }
    if (this.log !== undefined && this.log.tick > this.tick)
      this.#report('the record of the log has a tick that was not given out');
    if (this.chunk !== undefined && isUnread(this.log) !== (this.#version === FORMAT_LOGGED))
      this.#report('the format record and the record of the log contradict each other');
  }

  #addFormat(value: Buffer): void {
    const version = value.length === 4 ? value.readUInt16BE(0) : 0;
    const chunk = value.length === 4 ? value.readUInt16BE(2) : 0;
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

  #addLog(value: Buffer): void {
    this.log = decodeLogMark(value);
  }

  #addCounters(value: Buffer): void {
    if (value.length !== 24) {
      this.#report('the counters have another length than theirs');
      return;
    }
    this.tick = value.readBigUInt64BE(0);
    this.spaceId = value.readBigUInt64BE(8);
    this.subtreeId = value.readBigUInt64BE(16);
  }

  #addSpace(key: Buffer, value: Buffer): void {
    const account = key.indexOf(0);
    const service = key.indexOf(0, account + 1);
    if (account < 0 || service < 0) throw new Error('its name has not three parts');
    const names: SpaceKey = [
      decodeText(key, 1, account),
      decodeText(key, account + 1, service),
      decodeText(key, service + 1, key.length),
    ];
    const written = Buffer.alloc(key.length);
    if (writeSpaceKey(names, written, 0) !== key.length || !written.equals(key))
      throw new Error('its name is not in the form that this program writes');
    if (value.length < 12) throw new Error(`the record of '${names[2]}' is too short`);
    const id = value.readUInt32BE(0);
    if (!this.#isFree(id)) throw new Error(`'${names[2]}' has the id ${id}, which is no id or another's`);
    this.living.set(id, {
      account: names[0],
      service: names[1],
      name: names[2],
      id,
      created: value.readBigUInt64BE(4),
      metadata: value.subarray(12),
    });
  }

  #addDropped(id: number, value: Buffer): void {
    if (value.length !== 8 || !this.#isFree(id))
      this.#report(`the record of the dropped space ${id} is damaged`);
    else this.dropped.set(id, value.readBigUInt64BE());
  }

  #isFree(id: number): boolean {
    return id >= 1 && id <= SPACE_ID_MAX && !this.living.has(id) && !this.dropped.has(id);
  }

  #report(sentence: string): void {
    this.#findings.add(`catalog: ${sentence}.`);
  }
}
