// Both versions of an entity that someone else changed first, property by property, and what can be done.
import type { Property, Row } from '#data-tools/line';
import { cellOf } from '../../model/cell.js';
import { type Draft, differences, read } from '../../model/draft.js';
import type { Found } from '../client/table-client.js';
import { Button } from '../shell/button.js';
import type { Conflict, Editing } from './use-entity.js';

const Value = ({ of }: { readonly of: Property | undefined }) => {
  const { text, kind } = cellOf(of);
  return kind === 'absent' ? (
    <em class="hint">absent</em>
  ) : (
    <span class={kind === 'empty' ? 'hint' : ''}>
      {text} <span class="head-type">{of?.type}</span>
    </span>
  );
};

/** What differs, with the sides that changed it marked. */
function Versions({ draft, current }: { readonly draft: Draft; readonly current: Found }) {
  const mine = read(draft).row;
  const changedBy = (row: Row): ReadonlySet<string> =>
    new Set(draft.original === undefined ? [] : differences(draft.original, row).map(({ name }) => name));
  const [byMe, byThem] = [changedBy(mine), changedBy(current.row)];
  return (
    <table class="versions">
      <thead>
        <tr>
          <th scope="col">Property</th>
          <th scope="col">Yours</th>
          <th scope="col">Stored now</th>
        </tr>
      </thead>
      <tbody>
        {differences(current.row, mine).map(({ name, before, after }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>
              <Value of={after} />
              {byMe.has(name) && <span class="changed-mark">changed by you</span>}
            </td>
            <td>
              <Value of={before} />
              {byThem.has(name) && <span class="changed-mark">changed since</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface ConflictProps {
  readonly conflict: Conflict;
  readonly draft: Draft;
  readonly editing: Editing;
}

const TITLES: Readonly<Record<string, readonly [title: string, sentence: string]>> = {
  gone: ['Deleted by someone else', 'The entity is no longer in the table. What you typed is still here.'],
  insert: ['This entity exists already', 'Another entity has these keys. Choose what to keep.'],
  other: ['Changed by someone else', 'Since you opened this entity it has changed. Choose what to keep.'],
};

export function ConflictView({ conflict: { current, attempt }, draft, editing }: ConflictProps) {
  const [title, sentence] = TITLES[current === undefined ? 'gone' : attempt] ?? TITLES.other ?? [];
  const force = (): void =>
    void (attempt === 'delete'
      ? editing.remove(current?.etag)
      : editing.save(attempt === 'insert' ? 'replace' : attempt, current?.etag));
  return (
    <section class="conflict" aria-label="Conflict">
      <h3>{title}</h3>
      <p>{sentence}</p>
      {current === undefined ? (
        <div class="row">
          <Button kind="primary" onClick={() => void editing.save('insert')}>
            Insert it again
          </Button>
          <Button onClick={editing.dismiss}>Keep editing</Button>
        </div>
      ) : (
        <>
          <Versions draft={draft} current={current} />
          <div class="row wrap">
            {attempt !== 'delete' && (
              <Button kind="primary" onClick={() => editing.rebase(current)}>
                Combine
              </Button>
            )}
            <Button kind="danger" onClick={force}>
              {attempt === 'delete' ? 'Delete all the same' : 'Overwrite with mine'}
            </Button>
            <Button onClick={() => editing.adopt(current)}>Take theirs</Button>
          </div>
          {attempt !== 'delete' && (
            <p class="hint">
              Combine puts your changes on top of the stored version, for you to check and save.
            </p>
          )}
        </>
      )}
    </section>
  );
}
