// The metadata of a blob, which is edited as a whole: the service replaces all of it.
import { Plus, Trash2 } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { codeOf, sentenceOf } from '../client/ask.js';
import { type BlobRef, blobOf } from '../client/blob-client.js';
import { Fault } from '../shell/blank.js';
import { Button, IconButton } from '../shell/button.js';
import { notify } from '../state/notice.js';

/** What a blob has, of the version that the ETag names. */
export interface StoredMetadata {
  readonly entries: readonly Entry[];
  readonly etag: string;
}

interface MetadataProps {
  readonly blob: BlobRef;
  readonly stored: StoredMetadata;
  /** The blob must be read again. */
  readonly onSaved: () => void;
}

type Entry = readonly [name: string, value: string];

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

const CONFLICT = 'Someone else changed the blob. Save again to replace its metadata.';

const textOf = (entries: readonly Entry[]): string => JSON.stringify(entries);

interface EntryFieldProps {
  readonly entry: Entry;
  readonly isFixed: boolean;
  readonly onChange: (entry: Entry) => void;
  readonly onRemove: () => void;
}

const EntryField = ({ entry: [name, value], isFixed, onChange, onRemove }: EntryFieldProps) => (
  <li class="row">
    <input
      class="input mono"
      aria-label="Name"
      value={name}
      readOnly={isFixed}
      aria-invalid={!NAME.test(name)}
      spellcheck={false}
      onInput={event => onChange([event.currentTarget.value, value])}
    />
    <input
      class="input mono grow"
      aria-label={`Value of ${name}`}
      value={value}
      readOnly={isFixed}
      spellcheck={false}
      onInput={event => onChange([name, event.currentTarget.value])}
    />
    {!isFixed && <IconButton icon={Trash2} label={`Remove ${name}`} isSmall onClick={onRemove} />}
  </li>
);

/** Give it a key of the blob's version: what is typed stays while the same version is read again. */
export function Metadata({ blob, stored, onSaved }: MetadataProps) {
  const [base, setBase] = useState(stored);
  const [entries, setEntries] = useState(stored.entries);
  const [failure, setFailure] = useState<string>();
  const isChanged = textOf(entries) !== textOf(base.entries);
  useEffect(() => {
    // Until a conflict is shown, what is typed stays a change of the version it was typed over.
    if (!isChanged || failure === CONFLICT) setBase(stored);
    if (!isChanged) setEntries(stored.entries);
  }, [stored]);
  const isFixed = Boolean(blob.snapshot);
  const isValid =
    entries.every(([name]) => NAME.test(name)) &&
    new Set(entries.map(([name]) => name)).size === entries.length;
  const save = async (): Promise<void> => {
    try {
      const conditions = { ifMatch: base.etag };
      const { etag = '*' } = await (await blobOf(blob)).setMetadata(Object.fromEntries(entries), {
        conditions,
      });
      setBase({ entries, etag });
      setFailure(undefined);
      notify('Saved the metadata.');
      onSaved();
    } catch (error) {
      const isConflict = codeOf(error) === 'ConditionNotMet';
      setFailure(isConflict ? CONFLICT : sentenceOf(error));
      if (isConflict) onSaved();
    }
  };
  return (
    <>
      {entries.length === 0 && <p class="hint">None.</p>}
      <ul class="metadata">
        {entries.map((entry, at) => (
          <EntryField
            key={at}
            entry={entry}
            isFixed={isFixed}
            onChange={changed => setEntries(entries.map((each, index) => (index === at ? changed : each)))}
            onRemove={() => setEntries(entries.filter((_, index) => index !== at))}
          />
        ))}
      </ul>
      <Fault text={failure} />
      {!isFixed && (
        <div class="row">
          <Button icon={Plus} onClick={() => setEntries([...entries, ['', '']])}>
            Add
          </Button>
          {isChanged && (
            <Button kind="primary" disabled={!isValid} onClick={() => void save()}>
              Save metadata
            </Button>
          )}
        </div>
      )}
    </>
  );
}
