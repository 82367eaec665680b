import { Fragment, useState } from 'react'
import { changeSearch, withSearch } from '../../../shell/router.ts'
import { Button, IconButton } from '../../../ui/inputs/button.tsx'
import { Field } from '../../../ui/inputs/field.tsx'
import { Dialog, DialogActions } from '../../../ui/layers/dialog.tsx'
import { say } from '../../../ui/layers/toasts.tsx'
import { Icon } from '../../../ui/marks/icons.tsx'
import { useChange } from '../../../wire/queries.ts'
import { useMay } from '../../../wire/session.ts'
import { words } from '../../../words/words.ts'
import { type Folder, inFolder, pathTo, useFolders } from './folders.ts'

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
