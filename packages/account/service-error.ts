// What all outcomes that are not success have in common. Which codes there are is each service's matter; their statuses,
// texts and forms are the wire's.

/** Values for the text of the code, by the names that the error table uses. */
export type RefusalDetail = Readonly<Record<string, string | number>>;

export class Refusal<Code extends string> extends Error {
  readonly code: Code;
  readonly detail: RefusalDetail;

  constructor(code: Code, detail: RefusalDetail = {}) {
    // An outcome, not a fault: nobody asks where it was decided, and finding out costs more than most refusals.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(code);
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.detail = detail;
  }
}
