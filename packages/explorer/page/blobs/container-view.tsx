// One container: its folders and blobs, uploads by button or by drag and drop.
import { Container, File, Folder, RefreshCw, Upload } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { counted, formatBytes, formatTime } from '../../model/cell.js';
import type { Place } from '../client/account.js';
import { type BlobPage, listBlobs } from '../client/blob-client.js';
import { chooseFiles } from '../client/file.js';
import { type Action, Bar } from '../shell/bar.js';
import { Blank, Until } from '../shell/blank.js';
import { Button, Icon, LinkButton } from '../shell/button.js';
import { WorkView } from '../shell/work-view.js';
import { type Loading, useLoaded } from '../state/loaded.js';
import { hashOf } from '../state/route.js';
import { BlobPanel } from './blob-panel.js';
import { UPLOAD_WORDS, useUploads } from './use-uploads.js';

interface FolderPlace extends Place {
  readonly prefix: string;
}

const linkTo = ({ account, name }: Place, prefix: string): string =>
  hashOf({ account, view: { kind: 'container', name, prefix } });

function Path(place: FolderPlace) {
  const { name, prefix } = place;
  const parts = prefix.split('/').slice(0, -1);
  return (
    <nav class="path ellipsis" aria-label="Folder">
      <h1>{prefix === '' ? name : <a href={linkTo(place, '')}>{name}</a>}</h1>
      {parts.map((part, at) => {
        const folder = `${parts.slice(0, at + 1).join('/')}/`;
        return (
          <span key={folder}>
            /
            {folder === prefix ? (
              <span aria-current="page">{part}</span>
            ) : (
              <a href={linkTo(place, folder)}>{part}</a>
            )}
          </span>
        );
      })}
    </nav>
  );
}

const HEADS = [
  ['Name', ''],
  ['Type', 'wide-only'],
  ['Modified', 'wide-only'],
  ['Size', 'right'],
] as const;

const Items = ({
  place,
  page: { folders, blobs },
  opened,
  onOpen,
}: Omit<FolderProps, 'loading' | 'onChoose'> & { readonly page: BlobPage }) => (
  <table class="blob-list">
    <thead>
      <tr>
        {HEADS.map(([head, kind]) => (
          <th key={head} scope="col" class={kind}>
            {head}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {folders.map(folder => (
        <tr key={folder}>
          <td>
            <a class="blob-name" href={linkTo(place, folder)}>
              <Icon of={Folder} />
              <span class="ellipsis">{folder.slice(place.prefix.length)}</span>
            </a>
          </td>
          <td class="wide-only" />
          <td class="wide-only" />
          <td />
        </tr>
      ))}
      {blobs.map(({ name, properties }) => (
        <tr key={name} class={name === opened ? 'opened' : undefined}>
          <td>
            <button type="button" class="blob-name" title={name} onClick={() => onOpen(name)}>
              <Icon of={File} />
              <span class="ellipsis">{name.slice(place.prefix.length) || name}</span>
            </button>
          </td>
          <td class="wide-only hint ellipsis">{properties.contentType}</td>
          <td class="wide-only hint">{formatTime(properties.lastModified)}</td>
          <td class="right">{formatBytes(properties.contentLength ?? 0)}</td>
        </tr>
      ))}
    </tbody>
  </table>
);

interface FolderProps {
  readonly place: FolderPlace;
  readonly loading: Loading<BlobPage>;
  readonly opened: string | undefined;
  readonly onOpen: (blob: string) => void;
  readonly onChoose: () => void;
}

const Contents = ({ place, loading, opened, onOpen, onChoose }: FolderProps) => (
  <div class="scroll-area">
    <Until loading={loading} label="Listing…" title="The container cannot be read">
      {page =>
        page.folders.length + page.blobs.length > 0 ? (
          <Items {...{ place, page, opened, onOpen }} />
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

function Status({ loading: { state, more } }: { readonly loading: Loading<BlobPage> }) {
  const { value, isLoading } = state.value;
  const { folders = [], blobs = [], next } = value ?? {};
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
      {next !== undefined && !isLoading && <LinkButton onClick={() => void more()}>Read more</LinkButton>}
    </div>
  );
}

export function ContainerView(place: FolderPlace) {
  const { account, name, prefix } = place;
  const container = { account, name };
  const loading = useLoaded<BlobPage>(
    (stop, from) => listBlobs(container, prefix, from(), stop),
    [account, name, prefix],
  );
  const again = (): void => void loading.again();
  const { work, halt, upload, isOver, handlers } = useUploads(container, prefix, again);
  const [opened, onOpen] = useState<string>();
  const onChoose = (): void => void chooseFiles({ multiple: true }).then(upload);
  useEffect(() => onOpen(undefined), [prefix]);
  const actions: readonly Action[] = [
    { label: 'List again', icon: RefreshCw, key: 'r', place: 'button', run: again },
    { label: 'Upload', icon: Upload, key: 'u', place: 'primary', run: onChoose },
  ];
  return (
    <div class="view-with-panel">
      <div class={isOver ? 'view dropping' : 'view'} {...handlers}>
        <Bar service="blob" {...{ ...container, actions }} title={<Path {...place} />} />
        <WorkView work={work} {...UPLOAD_WORDS} onHalt={halt} />
        <Contents {...{ place, loading, opened, onOpen, onChoose }} />
        <Status loading={loading} />
      </div>
      {opened !== undefined && (
        <BlobPanel
          key={opened}
          blob={{ container, name: opened }}
          onClose={() => onOpen(undefined)}
          onChanged={again}
        />
      )}
    </div>
  );
}
