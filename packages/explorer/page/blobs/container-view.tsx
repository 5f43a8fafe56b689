// One container: its folders and blobs, uploads by button or by drag and drop.

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
import { useLoaded } from '../state/loaded.js';
import { hashOf } from '../state/route.js';
import { BlobPanel } from './blob-panel.js';
import { useUploads } from './use-uploads.js';

interface FolderPlace extends Place {
  readonly prefix: string;
}

function Path({ account, name, prefix }: FolderPlace) {
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

const Items = ({ state: { account, name, prefix, page, opened, open } }: ContainerProps) => (
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
      {page.folders.map(folder => (
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
      {page.blobs.map(blob => (
        <tr key={blob.name} class={blob.name === opened ? 'opened' : undefined}>
          <td>
            <button type="button" class="blob-name" title={blob.name} onClick={() => open(blob.name)}>
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

const Contents = ({ state }: ContainerProps) => (
  <div class="scroll-area">
    <Until
      loaded={state.loaded}
      label="Listing…"
      title="The container cannot be read"
      onRetry={() => void state.again()}
    >
      {({ folders, blobs }) =>
        folders.length + blobs.length > 0 ? (
          <Items state={state} />
        ) : (
          <Blank
            icon={Container}
            title={state.prefix === '' ? 'This container is empty' : 'Nothing in this folder'}
          >
            <p>Drop files here, or choose them.</p>
            <Button kind="primary" icon={Upload} onClick={state.choose}>
              Upload files
            </Button>
          </Blank>
        )
      }
    </Until>
  </div>
);

const Status = ({ state: { loaded, page, more } }: ContainerProps) => (
  <div class="status" role="status">
    {loaded.isLoading && <span class="spinner" aria-hidden="true" />}
    {page.folders.length + page.blobs.length > 0 && (
      <span>
        {page.folders.length > 0 && `${counted(page.folders.length, 'folder')}, `}
        {counted(page.blobs.length, 'blob')}
        {page.next !== undefined && ' so far'}
      </span>
    )}
    {page.next !== undefined && !loaded.isLoading && (
      <LinkButton onClick={() => void more()}>Read more</LinkButton>
    )}
  </div>
);

function useContainer({ account, name, prefix }: FolderPlace) {
  const container = { account, name };
  const { state, again, more } = useLoaded<BlobPage>(
    (stop, from) => listBlobs(container, prefix, from, stop),
    [account, name, prefix],
  );
  const { work, upload } = useUploads(container, prefix, () => void again());
  const [opened, setOpened] = useState<string>();
  const chooser = useRef<HTMLInputElement>(null);
  useEffect(() => setOpened(undefined), [prefix]);
  return {
    ...{ account, name, prefix, container, again, more, work, upload, opened, chooser },
    loaded: state.value,
    page: state.value.value ?? NOTHING,
    open: setOpened,
    choose: () => chooser.current?.click(),
  };
}

interface ContainerProps {
  readonly state: ReturnType<typeof useContainer>;
}

export function ContainerView(place: FolderPlace) {
  const state = useContainer(place);
  const { container, opened, open, upload, chooser, choose } = state;
  const again = (): void => void state.again();
  const { isOver, handlers } = useDropped(files => void upload(files));
  useCommands(
    () => [
      { title: 'Upload files', key: 'u', run: choose },
      { title: 'List again', key: 'r', run: again },
    ],
    [place.name, place.prefix],
  );
  return (
    <div class="view-with-panel">
      <div class={isOver ? 'view dropping' : 'view'} {...handlers}>
        <Bar
          service="blob"
          {...container}
          title={<Path {...place} />}
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
        <Progress work={state.work} label="Uploading" unit="file" />
        <Contents state={state} />
        <Status state={state} />
      </div>
      {opened !== undefined && (
        <BlobPanel
          key={opened}
          blob={{ container, name: opened }}
          onClose={() => open(undefined)}
          onChanged={again}
        />
      )}
    </div>
  );
}
