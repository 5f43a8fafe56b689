// A table's life and its access policies, and the settings of the account, as plain values: what each call may answer.
import type { Model } from './linearize.js';

interface TableState {
  /** As it was spelled when it was created; undefined if there is no table. */
  readonly name: string | undefined;
  readonly ids: string;
}

export type TableQuestion =
  | { readonly kind: 'create'; readonly name: string; readonly happened: boolean }
  | { readonly kind: 'drop'; readonly happened: boolean }
  /** What a list or Get Table shows of it; undefined for nothing. */
  | { readonly kind: 'see'; readonly name: string | undefined }
  | { readonly kind: 'present' }
  | { readonly kind: 'setIds'; readonly ids: string; readonly happened: boolean }
  /** Undefined if the table was not found. */
  | { readonly kind: 'getIds'; readonly ids: string | undefined };

function apply(state: TableState, question: TableQuestion): TableState[] {
  const isThere = state.name !== undefined;
  switch (question.kind) {
    case 'create':
      if (isThere === question.happened) return [];
      return [question.happened ? { name: question.name, ids: '' } : state];
    case 'drop':
      if (isThere !== question.happened) return [];
      return [question.happened ? { name: undefined, ids: '' } : state];
    case 'see':
      return state.name === question.name ? [state] : [];
    case 'present':
      return isThere ? [state] : [];
    case 'setIds':
      if (isThere !== question.happened) return [];
      return [question.happened ? { ...state, ids: question.ids } : state];
    case 'getIds':
      return (isThere ? state.ids : undefined) === question.ids ? [state] : [];
  }
}

export const TABLE_MODEL: Model<TableState, TableQuestion> = {
  initial: { name: undefined, ids: '' },
  key: ({ name, ids }) => `${name ?? 'no table'} {${ids}}`,
  apply,
};

/** The origin of the only CORS rule; empty before the first is set. */
export type SettingsQuestion = { readonly kind: 'set' | 'get'; readonly origin: string };

export const SETTINGS_MODEL: Model<string, SettingsQuestion> = {
  initial: '',
  key: origin => origin,
  apply: (held, { kind, origin }) => (kind === 'set' ? [origin] : held === origin ? [held] : []),
};
