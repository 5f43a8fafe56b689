// An invalid row, or a text that is no value of its type. The reader of the text adds its position.

export class RowError extends Error {
  override readonly name = 'RowError';
}
