// One container: its folders and blobs, uploads by button or by drag and drop.

import type { BlobItem } from '@azure/storage-blob';
import { Container, File, Folder, Upload } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import { counted, formatBytes, formatTime } from '../../model/cell.js';
import type { Place } from '../client/account.js';
import { type BlobPage, listBlobs, NOTHING } from '../client/blob-client.js';
import { Bar } from '../shell/bar.js';
import { Blank, Until } from '../shell/blank.js';
import { Button, LinkButton } from '../shell/button.js';
import { Icon } from '../shell/icon.js';
import { Progress } from '../shell/progress.js';
import { useCommands } from '../state/command.js';
import { type Loaded, useLoaded } from '../state/loaded.js';
import { hashOf } from '../state/route.js';
import { BlobPanel } from './blob-panel.js';
import { useUploads } from './use-uploads.js';

interface ContainerViewProps extends Place {
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

interface ContentsProps extends ContainerViewProps {
  readonly state: Loaded<BlobPage>;
  readonly opened: string | undefined;
  readonly onOpen: (name: string) => void;
  readonly onAgain: () => void;
  readonly onChoose: () => void;
}

const Contents = ({ state, opened, onOpen, onAgain, onChoose, ...place }: ContentsProps) => (
  <div class="scroll-area">
    <Until loaded={state} label="Listing…" title="The container cannot be read" onRetry={onAgain}>
      {({ folders, blobs }) =>
        folders.length + blobs.length > 0 ? (
          <Items {...{ ...place, folders, blobs, opened, onOpen }} />
        ) : (
          <Blank
            icon={Container}
            title={place.prefix === '' ? 'This container is empty' : 'Nothing in this folder'}
          >
            <p>Drop files here, or choose them.</p>
            <Button kind="primary" icon={Upload} onClick={onChoose}>
              Upload files
            </Button>
          </Blank>
        )
      }
    </Until>
  </div>
);

interface StatusProps {
  readonly state: Loaded<BlobPage>;
  readonly onMore: () => void;
}

function Status({ state: { value, isLoading }, onMore }: StatusProps) {
  const { folders, blobs, next } = value ?? NOTHING;
  return (
    <div class="status" role="status">
      {isLoading && <span class="spinner" aria-hidden="true" />}
      {folders.length + blobs.length > 0 && (
        <span>
          {folders.length > 0 && `${counted(folders.length, 'folder')}, `}
          {counted(blobs.length, 'blob')}
          {next !== undefined && ' so far'}
        </span>
      )}
      {next !== undefined && !isLoading && <LinkButton onClick={onMore}>Read more</LinkButton>}
    </div>
  );
}

export function ContainerView({ account, name, prefix }: ContainerViewProps) {
  const container = { account, name };
  const { state, again, more } = useLoaded<BlobPage>(
    (stop, from) => listBlobs(container, prefix, from, stop),
    [account, name, prefix],
  );
  const { work, upload } = useUploads(container, prefix, again);
  const [opened, setOpened] = useState<string>();
  const chooser = useRef<HTMLInputElement>(null);
  const choose = (): void => chooser.current?.click();
  const { isOver, handlers } = useDropped(files => void upload(files));
  useEffect(() => setOpened(undefined), [prefix]);
  useCommands(
    () => [
      { title: 'Upload files', key: 'u', run: choose },
      { title: 'List again', key: 'r', run: again },
    ],
    [name, prefix],
  );
  return (
    <div class="view-with-panel">
      <div class={isOver ? 'view dropping' : 'view'} {...handlers}>
        <Bar
          service="blob"
          {...container}
          title={<Path {...{ account, name, prefix }} />}
          againLabel="List again"
          onAgain={again}
          primary={{ label: 'Upload', icon: Upload, run: choose }}
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
        <Progress work={work} label="Uploading" unit="file" />
        <Contents
          {...{ account, name, prefix, opened }}
          state={state.value}
          onOpen={setOpened}
          onAgain={again}
          onChoose={choose}
        />
        <Status state={state.value} onMore={more} />
      </div>
      {opened !== undefined && (
        <BlobPanel
          key={opened}
          blob={{ container, name: opened }}
          onClose={() => setOpened(undefined)}
          onChanged={again}
        />
      )}
    </div>
  );
}
