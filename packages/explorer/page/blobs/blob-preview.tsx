// A look into a blob: text and JSON, pictures, the schema of Parquet. Only the first bytes are read, of Parquet the last.
import type { parquetSchema } from 'hyparquet';
import { useEffect, useMemo } from 'preact/hooks';
import { formatBytes } from '../../model/cell.js';
import { prettyMessage } from '../../model/message-text.js';
import { type BlobRef, readBytes } from '../client/blob-client.js';
import { Spinner } from '../shell/blank.js';
import { useLoaded } from '../state/loaded.js';

const TEXT_BYTES = 64 * 1024;
const PICTURE_BYTES_MAX = 8 * 1024 * 1024;
/** Footers of wide files are some hundred KiB. */
const FOOTER_BYTES = 512 * 1024;

interface SchemaColumn {
  readonly name: string;
  readonly type: string;
  readonly depth: number;
}

type Preview =
  | { readonly kind: 'text'; readonly text: string; readonly isWhole: boolean }
  | { readonly kind: 'picture'; readonly picture: Blob }
  | { readonly kind: 'schema'; readonly columns: readonly SchemaColumn[]; readonly rows: string }
  | { readonly kind: 'none'; readonly reason: string };

/** Controls that no text has, and what stands for bytes that are none. */
const NO_TEXT = /[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f\ufffd]/g;

const extensionOf = (name: string): string => /\.([^./]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';

/** The type of a picture, by the blob's type or its name. Browsers recognize every type except SVG by its first bytes. */
function pictureType(name: string, contentType: string): string | undefined {
  if (contentType.startsWith('image/')) return contentType;
  if (extensionOf(name) === 'svg') return 'image/svg+xml';
  return /^(?:png|jpe?g|gif|webp|avif|bmp|ico)$/.test(extensionOf(name)) ? 'image/png' : undefined;
}

type SchemaTree = ReturnType<typeof parquetSchema>;

const columnsOf = ({ children }: SchemaTree, depth = 0): readonly SchemaColumn[] =>
  children.flatMap(child => {
    const {
      name,
      type,
      converted_type: converted,
      logical_type: logical,
      repetition_type: repetition,
    } = child.element;
    const what = [type ?? 'group', logical?.type ?? converted, repetition?.toLowerCase()]
      .filter(Boolean)
      .join(' · ');
    return [{ name, type: what, depth }, ...columnsOf(child, depth + 1)];
  });

async function parquetPreview(blob: Blob): Promise<Preview> {
  const { parquetMetadata, parquetSchema } = await import('hyparquet');
  const metadata = parquetMetadata(await blob.arrayBuffer());
  return {
    kind: 'schema',
    columns: columnsOf(parquetSchema(metadata)),
    rows: metadata.num_rows.toLocaleString('en-US'),
  };
}

function textPreview(bytes: ArrayBuffer, isWhole: boolean, isJson: boolean): Preview {
  const text = new TextDecoder().decode(bytes);
  const head = text.slice(0, 2000);
  if ((head.match(NO_TEXT)?.length ?? 0) > head.length / 50)
    return { kind: 'none', reason: 'These bytes are not text. Download the blob to open it.' };
  return { kind: 'text', text: isWhole && isJson ? prettyMessage(text) : text, isWhole };
}

interface BlobPreviewProps {
  readonly blob: BlobRef;
  readonly bytes: number;
  readonly contentType: string;
}

async function previewOf({ blob: ref, bytes, contentType }: BlobPreviewProps): Promise<Preview> {
  if (bytes === 0) return { kind: 'none', reason: 'The blob is empty.' };
  const picture = pictureType(ref.name, contentType);
  if (picture !== undefined && bytes <= PICTURE_BYTES_MAX) {
    const blob = await readBytes(ref, bytes, bytes);
    return { kind: 'picture', picture: new Blob([blob], { type: picture }) };
  }
  if (extensionOf(ref.name) === 'parquet')
    return parquetPreview(await readBytes(ref, -Math.min(bytes, FOOTER_BYTES), bytes));
  const blob = await readBytes(ref, TEXT_BYTES, bytes);
  const isJson = contentType.includes('json') || extensionOf(ref.name) === 'json';
  return textPreview(await blob.arrayBuffer(), bytes <= TEXT_BYTES, isJson);
}

function Picture({ picture, name }: { readonly picture: Blob; readonly name: string }) {
  const url = useMemo(() => URL.createObjectURL(picture), [picture]);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  return <img class="picture" src={url} alt={name} />;
}

export function BlobPreview(props: BlobPreviewProps) {
  const { blob, bytes } = props;
  const { state } = useLoaded(() => previewOf(props), [blob.snapshot, bytes]);
  const { value: preview, failure } = state.value;
  if (failure !== undefined) return <p class="hint pad">{failure}</p>;
  if (preview === undefined) return <Spinner label="Reading…" />;
  if (preview.kind === 'none') return <p class="hint pad">{preview.reason}</p>;
  if (preview.kind === 'picture') return <Picture picture={preview.picture} name={blob.name} />;
  if (preview.kind === 'schema')
    return (
      <>
        <p class="hint">
          Parquet with {preview.rows} rows, {preview.columns.length} columns
        </p>
        <ul class="schema">
          {preview.columns.map(({ name: column, type, depth }) => (
            <li key={`${depth} ${column}`} style={{ paddingLeft: `${depth * 16}px` }}>
              <span class="mono">{column}</span> <span class="hint">{type}</span>
            </li>
          ))}
        </ul>
      </>
    );
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls must be reachable by keys. */}
      <pre class="code" tabIndex={0}>
        {preview.text}
      </pre>
      {!preview.isWhole && (
        <p class="hint">
          The first {formatBytes(TEXT_BYTES)} of {formatBytes(bytes)}.
        </p>
      )}
    </>
  );
}
