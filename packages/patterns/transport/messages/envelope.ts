// The text of a flow's message: JSON in base64, with its own version so that a later program can recognize these messages. It carries keys and never data, which would be
// outdated when the message is read. queue-requests.ts sends texts.

import { fromBase64, fromUtf8, toBase64, toUtf8 } from '../../values/bytes.js';
import { isObject } from '../../values/is-object.js';
import { PatternError } from '../../values/pattern-error.js';
import { MESSAGE_BYTES_MAX } from '../queue-requests.js';

/** Of the envelope; inputs have versions of their own. */
const VERSION = 1;

/** Why a message was put aside, and which one it was. */
interface PoisonMark {
  /** Of the message in the flow's queue: a crash may put it aside twice. */
  readonly message: string;
  readonly reason: string;
}

/** What a message says. */
export interface Envelope {
  readonly flow: string;
  /** Of the input. */
  readonly version: number;
  /** Of the flow's run: the same in messages that were sent twice. */
  readonly id: string;
  /** As JSON has it. */
  readonly input: unknown;
  /** What the write leaves in its row that was announced by this message; none if no write was. */
  readonly operationId: string | undefined;
  /** The announced write deletes the row, so the row cannot show its outcome. */
  readonly deletes: boolean;
  /** Receipts that were no attempts: the write was waited for. */
  readonly waits: number;
  /** The message was done once, and came back because another worker may have been stalled with it. */
  readonly isRedelivery: boolean;
  readonly poison: PoisonMark | undefined;
}

const WAITS_MAX = 9_999;

/** Of one length, so that a message which fits once always fits. */
const stateText = ({ waits, isRedelivery }: Envelope): string =>
  `${isRedelivery ? 1 : 0}${String(Math.min(waits, WAITS_MAX)).padStart(4, '0')}`;

/** The text, whatever its size. */
export function envelopeText(envelope: Envelope): string {
  const { flow, version, id, input, operationId: op, deletes, poison } = envelope;
  const json = { v: VERSION, flow, version, id, input, op, state: stateText(envelope), poison };
  return toBase64(toUtf8(JSON.stringify(deletes ? { ...json, deletes } : json)));
}

/** Throws TooLarge. */
export function checkedText(envelope: Envelope): string {
  const text = envelopeText(envelope);
  if (text.length > MESSAGE_BYTES_MAX)
    throw new PatternError('TooLarge', {
      what: 'message',
      where: `${envelope.flow}.input`,
      size: text.length,
      limit: MESSAGE_BYTES_MAX,
    });
  return text;
}

function jsonIn(text: string): unknown {
  const bytes = fromBase64(text);
  if (bytes === undefined) return undefined;
  try {
    return JSON.parse(fromUtf8(bytes));
  } catch {
    return undefined;
  }
}

const isPoisonMark = (value: unknown): value is PoisonMark =>
  isObject(value) && typeof value.message === 'string' && typeof value.reason === 'string';

/** What a message says, or why it cannot be read. */
export function readEnvelope(text: string): Envelope | string {
  const json = jsonIn(text);
  if (!isObject(json) || json.v === undefined) return 'it is not an envelope of this library';
  if (json.v !== VERSION)
    return `its envelope is of version ${String(json.v)}, and this program knows ${VERSION}`;
  const { flow, version, id, input, op, state, deletes, poison } = json;
  const isWhole =
    typeof flow === 'string' &&
    typeof version === 'number' &&
    typeof id === 'string' &&
    typeof state === 'string' &&
    /^[01]\d{4}$/.test(state);
  if (!isWhole) return 'its envelope is incomplete';
  return {
    flow,
    version,
    id,
    input,
    operationId: typeof op === 'string' ? op : undefined,
    deletes: deletes === true,
    waits: Number(state.slice(1)),
    isRedelivery: state.startsWith('1'),
    poison: isPoisonMark(poison) ? poison : undefined,
  };
}
