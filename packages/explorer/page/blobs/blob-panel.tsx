// One blob at the side: a look into it, its properties, metadata, snapshots and lease.

import type { BlobGetPropertiesResponse } from '@azure/storage-blob';
import { Camera, Download, Ellipsis, KeyRound, LockOpen, Trash2, X } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { formatBytes, formatTime } from '../../model/cell.js';
import { sentenceOf } from '../client/ask.js';
import {
  type BlobRef,
  blobProperties,
  breakLease,
  deleteBlob,
  download,
  listSnapshots,
  snapshotBlob,
} from '../client/blob-client.js';
import { Failure, Spinner } from '../shell/blank.js';
import { Loss } from '../shell/dialog.js';
import { Icon } from '../shell/icon.js';
import { Menu, type MenuItem } from '../shell/menu.js';
import { notify, notifyFailure } from '../state/notice.js';
import { currentAccount } from '../state/resources.js';
import { go } from '../state/route.js';
import { BlobPreview } from './blob-preview.js';
import { Metadata, type StoredMetadata } from './metadata.js';

interface BlobPanelProps {
  readonly account: string;
  readonly blob: BlobRef;
  readonly onClose: () => void;
  /** The list is to be read again. */
  readonly onChanged: () => void;
}

interface Details {
  readonly properties: BlobGetPropertiesResponse;
  readonly metadata: StoredMetadata;
  readonly snapshots: readonly string[];
}

async function detailsOf(account: string, blob: BlobRef): Promise<Details> {
  const [properties, snapshots] = await Promise.all([
    blobProperties(account, blob),
    listSnapshots(account, blob),
  ]);
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

const Properties = ({ properties }: { readonly properties: BlobGetPropertiesResponse }) => (
  <dl class="facts">
    {factsOf(properties).map(([label, value]) =>
      value ? (
        <div key={label}>
          <dt>{label}</dt>
          <dd class="break">{value}</dd>
        </div>
      ) : null,
    )}
  </dl>
);

interface SnapshotsProps {
  readonly blob: BlobRef;
  readonly snapshots: readonly string[];
  readonly onShow: (snapshot: string) => void;
}

const Snapshots = ({ blob, snapshots, onShow }: SnapshotsProps) => (
  <ul class="plain-list">
    {['', ...[...snapshots].reverse()].map(snapshot => (
      <li key={snapshot}>
        <button
          type="button"
          class="link"
          aria-current={(blob.snapshot ?? '') === snapshot}
          onClick={() => onShow(snapshot)}
        >
          {snapshot === '' ? 'Current version' : snapshot}
        </button>
      </li>
    ))}
  </ul>
);

/** What is done with the blob; each ends with a notice. */
function useActions(account: string, blob: BlobRef, onDone: () => void) {
  const perform = (work: () => Promise<void>, text: string) => (): void =>
    void work().then(() => {
      notify(text);
      onDone();
    }, notifyFailure);
  return {
    save: () => void download(account, blob).catch(notifyFailure),
    snapshot: perform(() => snapshotBlob(account, blob), 'Made a snapshot.'),
    unlock: perform(() => breakLease(account, blob), 'Broke the lease.'),
  };
}

interface HeadProps extends BlobPanelProps {
  readonly isLeased: boolean;
  readonly onDelete: () => void;
  readonly onDone: () => void;
}

function Head({ account, blob, isLeased, onClose, onDelete, onDone }: HeadProps) {
  const { save, snapshot, unlock } = useActions(account, blob, onDone);
  const { container, name } = blob;
  const isCurrent = !blob.snapshot;
  const resource = `${container}/${name}`;
  const items: readonly MenuItem[] = [
    ...(isCurrent ? [{ label: 'Make a snapshot', icon: Camera, run: snapshot }] : []),
    ...(isLeased ? [{ label: 'Break the lease', icon: LockOpen, run: unlock }] : []),
    ...(isCurrent && currentAccount()?.canSign
      ? [
          {
            label: 'Shared access signature',
            icon: KeyRound,
            run: () => go({ kind: 'signature', scope: 'blob', resource }),
          },
        ]
      : []),
    { label: isCurrent ? 'Delete' : 'Delete the snapshot', icon: Trash2, isDanger: true, run: onDelete },
  ];
  return (
    <header class="panel-head">
      <h2 class="ellipsis" title={name} tabIndex={-1}>
        {name.split('/').at(-1) || name}
      </h2>
      <button type="button" class="button" onClick={save}>
        <Icon of={Download} />
        Download
      </button>
      <Menu
        label="More about this blob"
        button={<Icon of={Ellipsis} />}
        buttonClass="button quiet square"
        items={items}
      />
      <button type="button" class="button quiet square" aria-label="Close" onClick={onClose}>
        <Icon of={X} />
      </button>
    </header>
  );
}

interface DeleteProps {
  readonly account: string;
  readonly blob: BlobRef;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

function DeleteBlob({ account, blob, onClose, onDeleted }: DeleteProps) {
  const perform = async (): Promise<void> => {
    await deleteBlob(account, blob);
    notify('Deleted.');
    onDeleted();
  };
  return (
    <Loss
      title={blob.snapshot ? 'Delete this snapshot?' : 'Delete this blob?'}
      action="Delete"
      {...{ perform, onClose }}
    >
      <p>
        <code class="break">{blob.name}</code>
        {blob.snapshot ? ` at ${blob.snapshot}` : ' and its snapshots'}
      </p>
    </Loss>
  );
}

export function BlobPanel({ account, blob, onClose, onChanged }: BlobPanelProps) {
  const [shown, setShown] = useState<BlobRef>(blob);
  const [details, setDetails] = useState<Details>();
  const [failure, setFailure] = useState<string>();
  const [isDeleting, setDeleting] = useState(false);
  const [asked, setAsked] = useState(0);
  useEffect(() => setShown(blob), [blob.container, blob.name]);
  useEffect(() => {
    let isCurrent = true;
    detailsOf(account, shown).then(
      found => {
        if (!isCurrent) return;
        setDetails(found);
        setFailure(undefined);
      },
      error => isCurrent && setFailure(sentenceOf(error)),
    );
    return () => {
      isCurrent = false;
    };
  }, [account, shown, asked]);
  const again = (): void => {
    setAsked(count => count + 1);
    onChanged();
  };
  const isLeased = details?.properties.leaseState === 'leased';
  return (
    <aside class="panel" aria-label="Blob">
      <Head
        {...{ account, isLeased, onClose, onChanged }}
        blob={shown}
        onDelete={() => setDeleting(true)}
        onDone={again}
      />
      <div class="panel-body">
        {failure !== undefined && (
          <Failure title="The blob cannot be read" sentence={failure} onRetry={again} />
        )}
        {failure === undefined && details === undefined && <Spinner label="Reading the blob…" />}
        {failure === undefined && details !== undefined && (
          <>
            <section class="preview" aria-label="Preview">
              <BlobPreview
                account={account}
                blob={shown}
                bytes={details.properties.contentLength ?? 0}
                contentType={details.properties.contentType ?? ''}
              />
            </section>
            <h3>Properties</h3>
            <Properties properties={details.properties} />
            <h3>Metadata</h3>
            <Metadata
              key={`${shown.container}/${shown.name} ${shown.snapshot}`}
              account={account}
              blob={shown}
              stored={details.metadata}
              onSaved={again}
            />
            {details.snapshots.length > 0 && (
              <>
                <h3>Versions</h3>
                <Snapshots
                  blob={shown}
                  snapshots={details.snapshots}
                  onShow={snapshot => setShown({ ...blob, snapshot })}
                />
              </>
            )}
          </>
        )}
      </div>
      {isDeleting && (
        <DeleteBlob
          {...{ account }}
          blob={shown}
          onClose={() => setDeleting(false)}
          onDeleted={() => {
            setDeleting(false);
            onChanged();
            if (shown.snapshot) setShown(blob);
            else onClose();
          }}
        />
      )}
    </aside>
  );
}
