// The identity of an entity within its table.

export interface EntityKey {
  readonly partitionKey: string;
  readonly rowKey: string;
}
