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

interface VersionsProps {
  readonly draft: Draft;
  readonly current: Found;
}

/** What differs, with the sides that changed it marked. */
function Versions({ draft, current }: VersionsProps) {
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

const Gone = ({ editing }: Pick<ConflictProps, 'editing'>) => (
  <section class="conflict" aria-label="Conflict">
    <h3>Deleted by someone else</h3>
    <p>The entity is no longer in the table. What you typed is still here.</p>
    <div class="row">
      <Button kind="primary" onClick={() => void editing.save('insert')}>
        Insert it again
      </Button>
      <Button onClick={editing.dismiss}>Keep editing</Button>
    </div>
  </section>
);

export function ConflictView({ conflict: { current, attempt }, draft, editing }: ConflictProps) {
  if (current === undefined) return <Gone editing={editing} />;
  const { etag } = current;
  const force = (): void =>
    void (attempt === 'delete'
      ? editing.remove(etag)
      : editing.save(attempt === 'insert' ? 'replace' : attempt, etag));
  return (
    <section class="conflict" aria-label="Conflict">
      <h3>{attempt === 'insert' ? 'This entity exists already' : 'Changed by someone else'}</h3>
      <p>
        {attempt === 'insert'
          ? 'Another entity has these keys. Choose what to keep.'
          : 'Since you opened this entity it has changed. Choose what to keep.'}
      </p>
      <Versions draft={draft} current={current} />
      <div class="row wrap">
        {attempt !== 'delete' && (
          <Button kind="primary" onClick={() => editing.adopt(current, true)}>
            Combine
          </Button>
        )}
        <Button kind="danger" onClick={force}>
          {attempt === 'delete' ? 'Delete all the same' : 'Overwrite with mine'}
        </Button>
        <Button onClick={() => editing.adopt(current, false)}>Take theirs</Button>
      </div>
      {attempt !== 'delete' && (
        <p class="hint">Combine puts your changes on top of the stored version, for you to check and save.</p>
      )}
    </section>
  );
}
