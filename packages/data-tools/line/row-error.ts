// A text that is no row, or a value that is none of its type. Who reads the text says where it came from.

export class RowError extends Error {
  override readonly name = 'RowError';
}
