// Whether two types are identical, decided by the compiler: for tests of type inference.

export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles only for one type twice: `same<A, B>(true)`. */
export const same = <A, B>(_: Same<A, B>): void => undefined;
