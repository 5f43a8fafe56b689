// The phases of a connection's life, in which bytes, deadlines and ends mean different things.

/**
 * - `head`: reads a head; of the first, perhaps nothing came yet.
 * - `handling`: handed a request on; its body may still be to come.
 * - `responding`: writes an answer whose body is a stream.
 * - `discard`: wrote the answer, and reads the rest of the request's body, which nobody wants.
 * - `drain`: wrote the answer, which the client has not read all of.
 * - `idle`: expects the next request.
 * - `refused`: discards what comes, so that the client gets to see why.
 * - `closing`: reads nothing more, but the client has not read all of the last answer.
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
