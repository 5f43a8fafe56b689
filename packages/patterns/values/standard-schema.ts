// The interface Standard Schema, version 1, by which zod, valibot, arktype and others can be called. Copied from its specification (standardschema.dev),
// which invites that, to avoid a dependency.

/** A validator by the interface of Standard Schema: zod, valibot, arktype and others. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** What a validator answers: the value, or what is wrong with it. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** One thing that is wrong with a value, and where. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What a schema gives for what it accepts. */
export type OutputOf<S extends StandardSchema> = NonNullable<S['~standard']['types']>['output'];

/** The schema of what is as `is` says. */
export const schemaOf = <T>(is: (value: unknown) => value is T, message: string): StandardSchema<T, T> => ({
  '~standard': {
    version: 1,
    vendor: 'shelfmark-patterns',
    validate: value => (is(value) ? { value } : { issues: [{ message }] }),
  },
});
