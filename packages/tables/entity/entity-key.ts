// What tells the entities of a table apart.

export interface EntityKey {
  readonly partitionKey: string;
  readonly rowKey: string;
}
