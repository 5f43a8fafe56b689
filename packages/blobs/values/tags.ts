// Tags of blobs, and expressions over them: those of find by tags and of conditions.

/** In the order of their keys; at most ten. */
export type Tags = readonly (readonly [key: string, value: string])[];

/** `@container` is the name of the container. */
export type TagExpression =
  | {
      readonly kind: 'compare';
      readonly key: string;
      readonly operator: '=' | '>' | '>=' | '<' | '<=' | '<>';
      readonly value: string;
    }
  | { readonly kind: 'and'; readonly left: TagExpression; readonly right: TagExpression }
  | { readonly kind: 'or'; readonly left: TagExpression; readonly right: TagExpression };
