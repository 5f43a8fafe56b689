// One blob at the side: a look into it, its properties, metadata, snapshots and lease.

import type { BlobGetPropertiesResponse, BlockBlobClient } from '@azure/storage-blob';
import { Camera, Download, LockOpen, Trash2, X } from 'lucide';
import { useState } from 'preact/hooks';
import { formatBytes, formatTime } from '../../model/cell.js';
import { type BlobRef, blobOf, download, listSnapshots } from '../client/blob-client.js';
import { signing } from '../shell/bar.js';
import { Until } from '../shell/blank.js';
import { Button, IconButton } from '../shell/button.js';
import { ask } from '../shell/dialog.js';
import { Menu, type MenuItem } from '../shell/menu.js';
import { useLoaded } from '../state/loaded.js';
import { notify, notifyFailure } from '../state/notice.js';
import { BlobPreview } from './blob-preview.js';
import { Metadata, type StoredMetadata } from './metadata.js';

interface BlobPanelProps {
  readonly blob: BlobRef;
  readonly onClose: () => void;
  /** The list must be read again. */
  readonly onChanged: () => void;
}

interface Details {
  readonly properties: BlobGetPropertiesResponse;
  readonly metadata: StoredMetadata;
  readonly snapshots: readonly string[];
}

async function detailsOf(blob: BlobRef): Promise<Details> {
  const client = await blobOf(blob);
  const [properties, snapshots] = await Promise.all([client.getProperties(), listSnapshots(blob)]);
  const { metadata = {}, etag = '*' } = properties;
  return { properties, metadata: { entries: Object.entries(metadata), etag }, snapshots };
}

/** The properties that people look for; others are in none of the services' tools either. */
const factsOf = (properties: BlobGetPropertiesResponse) =>
  [
    ['Size', formatBytes(properties.contentLength ?? 0)],
    ['Content type', properties.contentType],
    ['Content encoding', properties.contentEncoding],
    ['Cache control', properties.cacheControl],
    ['Modified', properties.lastModified && formatTime(properties.lastModified)],
    ['Created', properties.createdOn && formatTime(properties.createdOn)],
    ['ETag', properties.etag],
    ['MD5', properties.contentMD5 && btoa(String.fromCharCode(...properties.contentMD5))],
    ['Type', properties.blobType],
    ['Tier', properties.accessTier],
    ['Lease', properties.leaseState],
    ['Lease duration', properties.leaseDuration],
    ['Copied from', properties.copySource],
  ] as const;

interface HeadProps extends BlobPanelProps {
  readonly isLeased: boolean;
  readonly onDelete: () => void;
}

function Head({ blob, isLeased, onClose, onDelete, onChanged }: HeadProps) {
  const { container, name } = blob;
  const isCurrent = !blob.snapshot;
  const perform = (text: string, work: (client: BlockBlobClient) => Promise<unknown>) => (): void =>
    void blobOf(blob)
      .then(work)
      .then(() => {
        notify(text);
        onChanged();
      }, notifyFailure);
  const snapshot = perform('Made a snapshot.', client => client.createSnapshot());
  // At once, also another client's.
  const unlock = perform('Broke the lease.', client => client.getBlobLeaseClient().breakLease(0));
  const items: readonly MenuItem[] = [
    ...(isCurrent ? [{ label: 'Make a snapshot', icon: Camera, run: snapshot }] : []),
    ...(isLeased ? [{ label: 'Break the lease', icon: LockOpen, run: unlock }] : []),
    ...(isCurrent ? signing('blob', `${container.name}/${name}`) : []),
    { label: isCurrent ? 'Delete' : 'Delete the snapshot', icon: Trash2, isDanger: true, run: onDelete },
  ];
  return (
    <header class="panel-head">
      <h2 class="ellipsis" title={name} tabIndex={-1}>
        {name.split('/').at(-1) || name}
      </h2>
      <Button icon={Download} onClick={() => void download(blob).catch(notifyFailure)}>
        Download
      </Button>
      <Menu label="More about this blob" items={items} />
      <IconButton icon={X} label="Close" onClick={onClose} />
    </header>
  );
}

interface DetailsProps {
  readonly blob: BlobRef;
  readonly details: Details;
  readonly onChanged: () => void;
  readonly onShow: (snapshot: string) => void;
}

const DetailsView = ({ blob, details, onChanged, onShow }: DetailsProps) => {
  const { properties, metadata, snapshots } = details;
  const { contentLength: bytes = 0, contentType = '' } = properties;
  return (
    <>
      <section class="preview" aria-label="Preview">
        <BlobPreview {...{ blob, bytes, contentType }} />
      </section>
      <h3>Properties</h3>
      <dl class="facts">
        {factsOf(properties)
          .filter(([, value]) => value)
          .map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd class="break">{value}</dd>
            </div>
          ))}
      </dl>
      <h3>Metadata</h3>
      <Metadata key={blob.snapshot} blob={blob} stored={metadata} onSaved={onChanged} />
      {snapshots.length > 0 && (
        <>
          <h3>Versions</h3>
          <ul class="plain-list">
            {['', ...[...snapshots].reverse()].map(snapshot => (
              <li key={snapshot}>
                <button
                  type="button"
                  class="link"
                  aria-current={blob.snapshot === snapshot}
                  onClick={() => onShow(snapshot)}
                >
                  {snapshot === '' ? 'Current version' : snapshot}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
};

/** Give it a key of the blob. */
export function BlobPanel({ blob, onClose, onChanged }: BlobPanelProps) {
  const [snapshot, setSnapshot] = useState('');
  const shown = { ...blob, snapshot };
  const isCurrent = snapshot === '';
  const loading = useLoaded(() => detailsOf(shown), [snapshot]);
  const changed = (): void => {
    void loading.again();
    onChanged();
  };
  const remove = async (): Promise<void> => {
    await (await blobOf(shown)).delete(isCurrent ? { deleteSnapshots: 'include' } : {});
    notify('Deleted.');
    onChanged();
    if (isCurrent) onClose();
    else setSnapshot('');
  };
  const askToDelete = (): void =>
    ask({
      title: isCurrent ? 'Delete this blob?' : 'Delete this snapshot?',
      action: 'Delete',
      isDanger: true,
      text: (
        <p>
          <code class="break">{blob.name}</code>
          {isCurrent ? ' and its snapshots' : ` at ${snapshot}`}
        </p>
      ),
      perform: remove,
    });
  return (
    <aside class="panel" aria-label="Blob">
      <Head
        blob={shown}
        isLeased={loading.state.value.value?.properties.leaseState === 'leased'}
        onClose={onClose}
        onChanged={changed}
        onDelete={askToDelete}
      />
      <div class="panel-body">
        <Until loading={loading} label="Reading the blob…" title="The blob cannot be read">
          {details => <DetailsView blob={shown} details={details} onChanged={changed} onShow={setSnapshot} />}
        </Until>
      </div>
    </aside>
  );
}
