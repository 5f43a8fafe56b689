// One property of rows that were read, for comparing what a test is about.

interface Row<V> {
  readonly value: V;
}

export const column = <V extends object, N extends keyof V>(rows: readonly Row<V>[], name: N): V[N][] =>
  rows.map(({ value }) => value[name]);
