// The one format of histories: each call as it was sent, when it began and ended, and its answer as values. The judge
// of each service decides whether a history is legal.

export interface Happening<Call, Answer> {
  readonly step: number;
  /** Beginning and end in the order of all events. Without an answer it took effect in between, or never. */
  readonly invoked: number;
  answered: number;
  readonly call: Call;
  /** Undefined if unknown: the answer was lost, or the server was busy. */
  answer: Answer | undefined;
}

/** Something that no server may do. */
export class Breach extends Error {
  readonly step: number;

  constructor(step: number, message: string) {
    super(message);
    this.step = step;
  }
}

/** With the service and the step, for people. */
export const faultTexts = (service: string, faults: readonly Breach[]): string[] =>
  faults.map(({ step, message }) => `${service} ${step}: ${message}`);

/** Of a copy of the data: it has what was answered up to the one, and nothing that was asked for after the other. */
export interface Moment {
  readonly answeredBy: number;
  readonly askedBy: number;
}

/** The history up to the moment, and what was read of the copy as if it was read then. */
export function asOf<H extends Happening<unknown, unknown>>(
  history: readonly H[],
  reading: readonly H[],
  { answeredBy, askedBy }: Moment,
): H[] {
  const last = Math.max(answeredBy, askedBy);
  const end = answeredBy < askedBy ? askedBy : last + 1;
  const before = history.filter(({ invoked }) => invoked < askedBy);
  return [
    ...before.map(one => (one.answered <= last ? one : { ...one, answered: last, answer: undefined })),
    ...reading.map(one => ({ ...one, invoked: answeredBy, answered: end })),
  ];
}
