// The query that is shown, as text for other programs.
import { Copy } from 'lucide';
import { useState } from 'preact/hooks';
import { clientCodeOf, curlOf, patternsCodeOf, type ShownQuery, urlOf } from '../../model/query-code.js';
import { Button } from '../shell/button.js';
import { Dialog } from '../shell/dialog.js';
import { Radios } from '../shell/field.js';
import { copyText } from '../state/notice.js';

interface CodeDialogProps {
  readonly query: ShownQuery;
  readonly onClose: () => void;
}

type Form = 'URL' | 'curl' | 'JavaScript client' | 'shelfmark-patterns';
const CODE: Readonly<Record<Form, (query: ShownQuery) => string | undefined>> = {
  URL: urlOf,
  curl: curlOf,
  'JavaScript client': clientCodeOf,
  'shelfmark-patterns': patternsCodeOf,
};
const FORMS = (Object.keys(CODE) as Form[]).map(form => [form, form] as const);

export function CodeDialog({ query, onClose }: CodeDialogProps) {
  const [form, setForm] = useState<Form>('URL');
  const code = CODE[form](query);
  const copy = (): void => copyText(code ?? '', 'Copied.');
  const footer = (
    <Button kind="primary" icon={Copy} disabled={code === undefined} onClick={copy}>
      Copy
    </Button>
  );
  return (
    <Dialog title="This query as code" onClose={onClose} footer={footer} isWide>
      <Radios legend="Form" options={FORMS} value={form} onChoose={setForm} isBar />
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
    </Dialog>
  );
}
