import { Fragment, useState } from 'react'
import type { Body } from '@/api/call.ts'
import { useCall, useChange } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { words } from '@/i18n/texts.ts'
import { changeSearch, withSearch } from '@/routes/router.ts'
import { Button, IconButton } from '@/ui/button.tsx'
import { Combobox } from '@/ui/combobox.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { Field } from '@/ui/field.tsx'
import { Icon } from '@/ui/icons.tsx'
import { say } from '@/ui/toasts.tsx'

export type Folder = Body<'GET /media-folder'>['Items'][number]

/** All folders of the account: they are few, and drawn as a tree. */
function useFolders(): readonly Folder[] {
  return useCall('GET /media-folder', {}).data?.Items ?? []
}

/** From the top down to a folder, with the folder itself. */
function pathTo(folders: readonly Folder[], id: string): Folder[] {
  const path: Folder[] = []
  for (let at: string | null = id; at && path.length < 50; ) {
    const folder = folders.find(({ Id }) => Id === at)
    if (!folder) break
    path.unshift(folder)
    at = folder.FolderId
  }
  return path
}

const inFolder = (folders: readonly Folder[], id: string) =>
  folders.filter(({ FolderId }) => (FolderId ?? '') === id).toSorted((one, other) => one.Name.localeCompare(other.Name))

/** The way to the open folder, and the folders in it. */
export function FolderBar({ folderId, isFiltered }: { folderId: string; isFiltered: boolean }) {
  const may = useMay()
  const folders = useFolders()
  const [asked, setAsked] = useState<'new' | 'rename' | 'delete'>()
  const path = pathTo(folders, folderId)
  const here = path.at(-1)
  const inside = isFiltered && !folderId ? [] : inFolder(folders, folderId)
  return (
    <nav className="folder-bar" aria-label={words.library.folders}>
      <ol className="folder-path">
        <li>
          <a href={withSearch({ folder: '', asset: '' })} aria-current={folderId ? undefined : 'page'}>
            {words.library.top}
          </a>
        </li>
        {path.map(({ Id, Name }) => (
          <Fragment key={Id}>
            <li aria-hidden="true">
              <Icon name="forward" />
            </li>
            <li>
              <a
                href={withSearch({ folder: Id, asset: '' })}
                aria-current={Id === folderId ? 'page' : undefined}
                dir="auto"
              >
                {Name}
              </a>
            </li>
          </Fragment>
        ))}
        {may('contribute') && (
          <li className="folder-acts">
            <IconButton icon="plus" label={words.library.newFolder} onClick={() => setAsked('new')} />
            {here && (
              <>
                <IconButton icon="write" label={words.library.renameFolder} onClick={() => setAsked('rename')} />
                <IconButton icon="trash" label={words.library.deleteFolder} onClick={() => setAsked('delete')} />
              </>
            )}
          </li>
        )}
      </ol>
      {inside.length > 0 && (
        <ul className="folder-list">
          {inside.map(({ Id, Name }) => (
            <li key={Id}>
              <a className="folder" href={withSearch({ folder: Id, asset: '' })}>
                <Icon name="folder" />
                <span dir="auto">{Name}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
      {asked === 'new' && <Naming folderId={folderId} onClose={() => setAsked(undefined)} />}
      {asked === 'rename' && here && <Naming folder={here} folderId={folderId} onClose={() => setAsked(undefined)} />}
      {asked === 'delete' && here && <Removing folder={here} onClose={() => setAsked(undefined)} />}
    </nav>
  )
}

const folderLists = ['GET /media-folder', 'v2 GET /media-folder'] as const

/** The name of a new folder, or another one for this. */
function Naming({ folder, folderId, onClose }: { folder?: Folder; folderId: string; onClose: () => void }) {
  const [name, setName] = useState(folder?.Name ?? '')
  const how = {
    stale: folderLists,
    done: onClose,
    refused: ({ message }: { message: string }) => say(message, { kind: 'problem' as const }),
  }
  const create = useChange('v2 POST /media-folder', how)
  const rename = useChange('v2 POST /media-folder/{id}', how)
  const save = () => {
    if (name.trim() === '') return
    if (folder) rename.mutate({ id: folder.Id, name })
    else create.mutate({ name, folderId })
  }
  return (
    <Dialog title={folder ? words.library.renameFolder : words.library.newFolder} onClose={onClose} onSubmit={save}>
      <Field label={words.library.folderName} value={name} maxLength={255} dir="auto" autoFocus onChange={setName} />
      <DialogActions>
        <Button onClick={onClose}>{words.ui.cancel}</Button>
        <Button kind="main" type="submit" busy={create.isPending || rename.isPending} onClick={save}>
          {folder ? words.library.save : words.library.create}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function Removing({ folder, onClose }: { folder: Folder; onClose: () => void }) {
  const remove = useChange('v2 DELETE /media-folder/{id}', {
    stale: [...folderLists, 'GET /media'],
    done: () => {
      onClose()
      changeSearch({ folder: folder.FolderId ?? '', asset: '' }, { replace: true })
    },
    refused: ({ message }) => say(message, { kind: 'problem' }),
  })
  return (
    <Dialog title={words.library.deleteFolder} onClose={onClose} onSubmit={() => remove.mutate({ id: folder.Id })}>
      <p dir="auto">{words.library.deleteFolderWhy(folder.Name)}</p>
      <DialogActions>
        <Button onClick={onClose}>{words.ui.cancel}</Button>
        <Button kind="danger" type="submit" busy={remove.isPending} onClick={() => remove.mutate({ id: folder.Id })}>
          {words.library.delete}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** One of all folders, by its way from the top. */
export function FolderField({ value, onChange }: { value: string; onChange: (folderId: string) => void }) {
  const folders = useFolders()
  const options = folders
    .map(({ Id }) => ({
      value: Id,
      label: pathTo(folders, Id)
        .map(({ Name }) => Name)
        .join(' / '),
    }))
    .toSorted((one, other) => one.label.localeCompare(other.label))
  return (
    <Combobox
      label={words.library.folder}
      value={value}
      options={[{ value: '', label: words.library.noFolder }, ...options]}
      onChange={onChange}
    />
  )
}
