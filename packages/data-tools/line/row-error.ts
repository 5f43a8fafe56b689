// An invalid row, or a text that is not a value of its type. The reader of the text adds its position.

export class RowError extends Error {
  override readonly name = 'RowError';
}
