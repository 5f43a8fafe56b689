// The query that is shown, as text for other programs.
import { Copy } from 'lucide';
import { useState } from 'preact/hooks';
import { clientCodeOf, curlOf, patternsCodeOf, type ShownQuery, urlOf } from '../../model/query-code.js';
import { Button } from '../shell/button.js';
import { Dialog } from '../shell/dialog.js';
import { Field } from '../shell/field.js';
import { copyText } from '../state/notice.js';

const CODE = {
  URL: urlOf,
  curl: curlOf,
  'JavaScript client': clientCodeOf,
  'shelfmark-patterns': patternsCodeOf,
} as const;
type Form = keyof typeof CODE;
const FORMS = (Object.keys(CODE) as Form[]).map(form => [form, form] as const);

export function CodeDialog({ query }: { readonly query: ShownQuery }) {
  const [form, setForm] = useState<Form>('URL');
  const code = CODE[form](query);
  const copy = (): void => copyText(code ?? '', 'Copied.');
  const footer = (
    <Button kind="primary" icon={Copy} disabled={code === undefined} onClick={copy}>
      Copy
    </Button>
  );
  return (
    <Dialog title="This query as code" footer={footer} isWide>
      <Field label="Form" kind="bar" options={FORMS} value={form} onText={setForm} />
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
