// The other side of ask-once.ts: a program that gets one question from its parent, sends the result or the failure, and ends.

export function replyOnce<Q>(answer: (question: Q) => Promise<object>): void {
  process.once('message', (question: Q) => {
    answer(question).then(
      result => process.send?.({ result }, () => process.disconnect()),
      (error: Error) => process.send?.({ failure: error.message }, () => process.disconnect()),
    );
  });
}
