// The phases of a connection. Bytes, deadlines and ends mean something else in each.

/**
 * - `head`: reads a head; before the first, perhaps nothing has arrived yet.
 * - `handling`: a handler has the request; its body may still be to come.
 * - `responding`: writes an answer whose body is a stream.
 * - `discard`: wrote the answer, and reads the remaining request body, which is unused.
 * - `drain`: wrote the answer, which the client has not fully read.
 * - `idle`: expects the next request.
 * - `refused`: discards what arrives, so that the client sees the reason.
 * - `closing`: reads nothing more, but the client has not fully read the last answer.
 * - `gone`: the socket is closed.
 */
export type ConnectionPhase =
  | 'head'
  | 'handling'
  | 'responding'
  | 'discard'
  | 'drain'
  | 'idle'
  | 'refused'
  | 'closing'
  | 'gone';
