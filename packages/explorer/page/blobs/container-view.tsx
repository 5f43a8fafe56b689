// One container: its folders and blobs, uploads by button or by drag and drop.

import type { BlobItem } from '@azure/storage-blob';
import { Container, Ellipsis, File, Folder, KeyRound, RefreshCw, Trash2, Upload } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import { counted, formatBytes, formatTime } from '../../model/cell.js';
import { deleteContainer } from '../client/blob-client.js';
import { Blank, Failure, Spinner } from '../shell/blank.js';
import { Loss } from '../shell/dialog.js';
import { Icon } from '../shell/icon.js';
import { Menu } from '../shell/menu.js';
import { useCommands } from '../state/command.js';
import { notify } from '../state/notice.js';
import { currentAccount, refreshListing } from '../state/resources.js';
import { go, hashOf } from '../state/route.js';
import { BlobPanel } from './blob-panel.js';
import { useBlobs } from './use-blobs.js';
import { useUploads } from './use-uploads.js';

interface ContainerViewProps {
  readonly account: string;
  readonly name: string;
  readonly prefix: string;
}

function Path({ account, name, prefix }: ContainerViewProps) {
  const parts = prefix.split('/').slice(0, -1);
  const link = (to: string): string => hashOf({ account, view: { kind: 'container', name, prefix: to } });
  return (
    <nav class="path ellipsis" aria-label="Folder">
      <h1>{prefix === '' ? name : <a href={link('')}>{name}</a>}</h1>
      {parts.map((part, at) => (
        <span key={parts.slice(0, at + 1).join('/')}>
          /
          {at === parts.length - 1 ? (
            <span aria-current="page">{part}</span>
          ) : (
            <a href={link(`${parts.slice(0, at + 1).join('/')}/`)}>{part}</a>
          )}
        </span>
      ))}
    </nav>
  );
}

interface ItemsProps extends ContainerViewProps {
  readonly folders: readonly string[];
  readonly blobs: readonly BlobItem[];
  readonly opened: string | undefined;
  readonly onOpen: (name: string) => void;
}

const Items = ({ account, name, prefix, folders, blobs, opened, onOpen }: ItemsProps) => (
  <table class="blob-list">
    <thead>
      <tr>
        <th scope="col">Name</th>
        <th scope="col" class="wide-only">
          Type
        </th>
        <th scope="col" class="wide-only">
          Modified
        </th>
        <th scope="col" class="right">
          Size
        </th>
      </tr>
    </thead>
    <tbody>
      {folders.map(folder => (
        <tr key={folder}>
          <td>
            <a
              class="blob-name"
              href={hashOf({ account, view: { kind: 'container', name, prefix: folder } })}
            >
              <Icon of={Folder} />
              <span class="ellipsis">{folder.slice(prefix.length)}</span>
            </a>
          </td>
          <td class="wide-only" />
          <td class="wide-only" />
          <td />
        </tr>
      ))}
      {blobs.map(blob => (
        <tr key={blob.name} class={blob.name === opened ? 'opened' : undefined}>
          <td>
            <button type="button" class="blob-name" title={blob.name} onClick={() => onOpen(blob.name)}>
              <Icon of={File} />
              <span class="ellipsis">{blob.name.slice(prefix.length) || blob.name}</span>
            </button>
          </td>
          <td class="wide-only hint ellipsis">{blob.properties.contentType}</td>
          <td class="wide-only hint">{formatTime(blob.properties.lastModified)}</td>
          <td class="right">{formatBytes(blob.properties.contentLength ?? 0)}</td>
        </tr>
      ))}
    </tbody>
  </table>
);

interface DropProps {
  readonly account: string;
  readonly name: string;
  readonly onClose: () => void;
}

function DropContainer({ account, name, onClose }: DropProps) {
  const drop = async (): Promise<void> => {
    await deleteContainer(account, name);
    notify(`Deleted container ${name}.`);
    go({ kind: 'home' });
    await refreshListing('blob');
  };
  return (
    <Loss
      title={`Delete container ${name}?`}
      action="Delete the container"
      {...{ name, onClose }}
      perform={drop}
    >
      <p>All of its blobs go with it. There is no way back.</p>
    </Loss>
  );
}

interface BarProps extends ContainerViewProps {
  readonly onUpload: () => void;
  readonly onAgain: () => void;
  readonly onDrop: () => void;
}

function Bar({ account, name, prefix, onUpload, onAgain, onDrop }: BarProps) {
  useCommands(
    () => [
      { title: 'Upload files', key: 'u', run: onUpload },
      { title: 'List again', key: 'r', run: onAgain },
    ],
    [name, prefix],
  );
  const sign = {
    label: 'Shared access signature',
    icon: KeyRound,
    run: () => go({ kind: 'signature', scope: 'container', resource: name }),
  };
  return (
    <header class="bar">
      <Path {...{ account, name, prefix }} />
      <div class="row">
        <button type="button" class="button" title="List again" aria-label="List again" onClick={onAgain}>
          <Icon of={RefreshCw} />
        </button>
        <button type="button" class="button primary" onClick={onUpload}>
          <Icon of={Upload} />
          Upload
        </button>
        <Menu
          label="More about this container"
          button={<Icon of={Ellipsis} />}
          buttonClass="button square"
          items={[
            ...(currentAccount()?.canSign ? [sign] : []),
            { label: 'Delete the container', icon: Trash2, isDanger: true, run: onDrop },
          ]}
        />
      </div>
    </header>
  );
}

/** Files over the view are uploaded where they are dropped. */
function useDropped(onFiles: (files: readonly File[]) => void) {
  const [isOver, setOver] = useState(false);
  const handlers = {
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: (event: DragEvent) => {
      if (event.currentTarget === event.target) setOver(false);
    },
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      onFiles([...(event.dataTransfer?.files ?? [])]);
    },
  };
  return { isOver, handlers };
}

export function ContainerView({ account, name, prefix }: ContainerViewProps) {
  const { state, again, more } = useBlobs(account, name, prefix);
  const { uploading, upload } = useUploads(account, name, prefix, () => void again());
  const [opened, setOpened] = useState<string>();
  const [isDropping, setDropping] = useState(false);
  const chooser = useRef<HTMLInputElement>(null);
  const { isOver, handlers } = useDropped(files => void upload(files));
  useEffect(() => setOpened(undefined), [prefix]);
  const { folders, blobs, next, isLoading, failure } = state.value;
  const count = folders.length + blobs.length;
  return (
    <div class="view-with-panel">
      <div class={isOver ? 'view dropping' : 'view'} {...handlers}>
        <Bar
          {...{ account, name, prefix }}
          onUpload={() => chooser.current?.click()}
          onAgain={() => void again()}
          onDrop={() => setDropping(true)}
        />
        <input
          ref={chooser}
          type="file"
          multiple
          hidden
          onChange={event => {
            void upload([...(event.currentTarget.files ?? [])]);
            event.currentTarget.value = '';
          }}
        />
        {uploading.value !== undefined && (
          <div class="progress" role="status">
            <progress value={uploading.value.done} max={uploading.value.total} aria-label="Uploading" />
            Uploading: {uploading.value.done} of {counted(uploading.value.total, 'file')}
          </div>
        )}
        <div class="scroll-area">
          {failure !== undefined && (
            <Failure title="The container cannot be read" sentence={failure} onRetry={() => void again()} />
          )}
          {failure === undefined && count === 0 && isLoading && <Spinner label="Listing…" />}
          {failure === undefined && count === 0 && !isLoading && (
            <Blank
              icon={Container}
              title={prefix === '' ? 'This container is empty' : 'Nothing in this folder'}
            >
              <p>Drop files here, or choose them.</p>
              <button type="button" class="button primary" onClick={() => chooser.current?.click()}>
                <Icon of={Upload} />
                Upload files
              </button>
            </Blank>
          )}
          {count > 0 && <Items {...{ account, name, prefix, folders, blobs, opened }} onOpen={setOpened} />}
        </div>
        <div class="status" role="status">
          {isLoading && <span class="spinner" aria-hidden="true" />}
          {count > 0 && (
            <span>
              {folders.length > 0 && `${counted(folders.length, 'folder')}, `}
              {counted(blobs.length, 'blob')}
              {next !== undefined && ' so far'}
            </span>
          )}
          {next !== undefined && !isLoading && (
            <button type="button" class="link" onClick={() => void more()}>
              Read more
            </button>
          )}
        </div>
      </div>
      {opened !== undefined && (
        <BlobPanel
          key={opened}
          account={account}
          blob={{ container: name, name: opened }}
          onClose={() => setOpened(undefined)}
          onChanged={() => void again()}
        />
      )}
      {isDropping && <DropContainer {...{ account, name }} onClose={() => setDropping(false)} />}
    </div>
  );
}
