// The query that is shown, as text for other programs.
import { Copy } from 'lucide';
import { useState } from 'preact/hooks';
import { clientCodeOf, curlOf, patternsCodeOf, type ShownQuery, urlOf } from '../../model/query-code.js';
import { Dialog } from '../shell/dialog.js';
import { Icon } from '../shell/icon.js';
import { notify } from '../state/notice.js';

interface CodeDialogProps {
  readonly query: ShownQuery;
  readonly onClose: () => void;
}

const FORMS: readonly (readonly [name: string, code: (query: ShownQuery) => string | undefined])[] = [
  ['URL', urlOf],
  ['curl', curlOf],
  ['JavaScript client', clientCodeOf],
  ['shelfmark-patterns', patternsCodeOf],
];

export function CodeDialog({ query, onClose }: CodeDialogProps) {
  const [chosen, setChosen] = useState(0);
  const code = FORMS[chosen]?.[1](query);
  const copy = (): void => {
    void navigator.clipboard.writeText(code ?? '');
    notify('Copied.');
  };
  const footer = (
    <button type="button" class="button primary" disabled={code === undefined} onClick={copy}>
      <Icon of={Copy} />
      Copy
    </button>
  );
  return (
    <Dialog title="This query as code" onClose={onClose} footer={footer} wide>
      <div class="tabs" role="tablist" aria-label="Form">
        {FORMS.map(([name], at) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`code-tab-${at}`}
            aria-selected={at === chosen}
            aria-controls="code-panel"
            class="tab"
            onClick={() => setChosen(at)}
          >
            {name}
          </button>
        ))}
      </div>
      <div id="code-panel" role="tabpanel" aria-labelledby={`code-tab-${chosen}`}>
        {code === undefined ? (
          <p class="hint pad">
            The pattern library has no such query: it addresses rows by one PartitionKey, or scans with
            conditions on properties alone.
          </p>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls must be reachable by keys.
          <pre class="code" tabIndex={0}>
            {code}
          </pre>
        )}
      </div>
    </Dialog>
  );
}
