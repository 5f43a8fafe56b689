// One blob at the side: a look into it, its properties, metadata, snapshots and lease.
import { Camera, Download, Ellipsis, KeyRound, LockOpen, Trash2, X } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { formatBytes, formatTime } from '../../model/cell.js';
import { sentenceOf } from '../client/ask.js';
import {
  type BlobItem,
  type BlobRef,
  blobHeaders,
  breakLease,
  deleteBlob,
  download,
  listBlobs,
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
import { Metadata } from './metadata.js';

interface BlobPanelProps {
  readonly account: string;
  readonly blob: BlobRef;
  readonly onClose: () => void;
  /** The list is to be read again. */
  readonly onChanged: () => void;
}

interface Details {
  readonly headers: Headers;
  readonly snapshots: readonly BlobItem[];
}

async function detailsOf(account: string, blob: BlobRef): Promise<Details> {
  const { container, name } = blob;
  const [headers, page] = await Promise.all([
    blobHeaders(account, blob),
    listBlobs(account, { container, prefix: name, include: 'snapshots' }),
  ]);
  return { headers, snapshots: page.blobs.filter(each => each.name === name && each.snapshot !== '') };
}

/** The properties that people look for; others are in none of the services' tools either. */
const SHOWN: readonly (readonly [header: string, label: string])[] = [
  ['content-type', 'Content type'],
  ['content-encoding', 'Content encoding'],
  ['x-explorer-cache-control', 'Cache control'],
  ['last-modified', 'Modified'],
  ['x-ms-creation-time', 'Created'],
  ['etag', 'ETag'],
  ['content-md5', 'MD5'],
  ['x-ms-blob-type', 'Type'],
  ['x-ms-access-tier', 'Tier'],
  ['x-ms-lease-state', 'Lease'],
  ['x-ms-lease-duration', 'Lease duration'],
  ['x-ms-copy-source', 'Copied from'],
];

const TIMES: ReadonlySet<string> = new Set(['last-modified', 'x-ms-creation-time']);

const Properties = ({ headers }: { readonly headers: Headers }) => (
  <dl class="facts">
    <div>
      <dt>Size</dt>
      <dd>{formatBytes(Number(headers.get('content-length') ?? 0))}</dd>
    </div>
    {SHOWN.map(([header, label]) => {
      const value = headers.get(header);
      return value === null ? null : (
        <div key={header}>
          <dt>{label}</dt>
          <dd class="break">{TIMES.has(header) ? formatTime(value) : value}</dd>
        </div>
      );
    })}
  </dl>
);

interface SnapshotsProps {
  readonly blob: BlobRef;
  readonly snapshots: readonly BlobItem[];
  readonly onShow: (snapshot: string) => void;
}

const Snapshots = ({ blob, snapshots, onShow }: SnapshotsProps) => (
  <ul class="plain-list">
    {['', ...snapshots.map(({ snapshot }) => snapshot).reverse()].map(snapshot => (
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
  const headers = details?.headers;
  const isLeased = headers?.get('x-ms-lease-state') === 'leased';
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
        {failure === undefined && headers === undefined && <Spinner label="Reading the blob…" />}
        {failure === undefined && headers !== undefined && (
          <>
            <section class="preview" aria-label="Preview">
              <BlobPreview
                account={account}
                blob={shown}
                bytes={Number(headers.get('content-length') ?? 0)}
                contentType={headers.get('content-type') ?? ''}
              />
            </section>
            <h3>Properties</h3>
            <Properties headers={headers} />
            <h3>Metadata</h3>
            <Metadata
              key={`${shown.container}/${shown.name} ${shown.snapshot}`}
              {...{ account, headers }}
              blob={shown}
              onSaved={again}
            />
            {(details?.snapshots.length ?? 0) > 0 && (
              <>
                <h3>Versions</h3>
                <Snapshots
                  blob={shown}
                  snapshots={details?.snapshots ?? []}
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
