import { Fragment, useState } from 'react'
import type { Body } from '@/api/call.ts'
import { useApiMutation, useApiQuery } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { texts } from '@/i18n/texts.ts'
import { hrefWith, setSearch } from '@/routes/router.ts'
import { Button, IconButton } from '@/ui/button.tsx'
import { Combobox } from '@/ui/combobox.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { Field } from '@/ui/field.tsx'
import { Icon } from '@/ui/icons.tsx'
import { toast } from '@/ui/toasts.tsx'
import * as styles from './library.module.css'

export type Folder = Body<'GET /media-folder'>['Items'][number]

/** All folders of the account: few enough to load in one request and show as a tree. */
function useFolders(): readonly Folder[] {
  return useApiQuery('GET /media-folder', {}).data?.Items ?? []
}

/** The path from the root to a folder, including it. */
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

/** Breadcrumb of the open folder, and its subfolders. */
export function FolderBar({ folderId, isFiltered }: { folderId: string; isFiltered: boolean }) {
  const may = useMay()
  const folders = useFolders()
  const [dialog, setDialog] = useState<'new' | 'rename' | 'delete'>()
  const path = pathTo(folders, folderId)
  const current = path.at(-1)
  const inside = isFiltered && !folderId ? [] : inFolder(folders, folderId)
  return (
    <nav className={styles.folderBar} aria-label={texts.library.folders}>
      <ol className={styles.folderPath}>
        <li>
          <a href={hrefWith({ folder: '', asset: '' })} aria-current={folderId ? undefined : 'page'}>
            {texts.library.top}
          </a>
        </li>
        {path.map(({ Id, Name }) => (
          <Fragment key={Id}>
            <li aria-hidden="true">
              <Icon name="forward" />
            </li>
            <li>
              <a
                href={hrefWith({ folder: Id, asset: '' })}
                aria-current={Id === folderId ? 'page' : undefined}
                dir="auto"
              >
                {Name}
              </a>
            </li>
          </Fragment>
        ))}
        {may('contribute') && (
          <li className={styles.folderActions}>
            <IconButton icon="plus" label={texts.library.newFolder} onClick={() => setDialog('new')} />
            {current && (
              <>
                <IconButton icon="write" label={texts.library.renameFolder} onClick={() => setDialog('rename')} />
                <IconButton icon="trash" label={texts.library.deleteFolder} onClick={() => setDialog('delete')} />
              </>
            )}
          </li>
        )}
      </ol>
      {inside.length > 0 && (
        <ul className={styles.folderList}>
          {inside.map(({ Id, Name }) => (
            <li key={Id}>
              <a data-testid="folder" className={styles.folder} href={hrefWith({ folder: Id, asset: '' })}>
                <Icon name="folder" />
                <span dir="auto">{Name}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
      {dialog === 'new' && <FolderNameDialog folderId={folderId} onClose={() => setDialog(undefined)} />}
      {dialog === 'rename' && current && (
        <FolderNameDialog folder={current} folderId={folderId} onClose={() => setDialog(undefined)} />
      )}
      {dialog === 'delete' && current && <DeleteFolderDialog folder={current} onClose={() => setDialog(undefined)} />}
    </nav>
  )
}

const folderLists = ['GET /media-folder', 'v2 GET /media-folder'] as const

function FolderNameDialog({ folder, folderId, onClose }: { folder?: Folder; folderId: string; onClose: () => void }) {
  const [name, setName] = useState(folder?.Name ?? '')
  const mutation = {
    invalidates: folderLists,
    onSuccess: onClose,
    onError: ({ message }: { message: string }) => toast(message, { kind: 'problem' as const }),
  }
  const create = useApiMutation('v2 POST /media-folder', mutation)
  const rename = useApiMutation('v2 POST /media-folder/{id}', mutation)
  const save = () => {
    if (name.trim() === '') return
    if (folder) rename.mutate({ id: folder.Id, name })
    else create.mutate({ name, folderId })
  }
  return (
    <Dialog title={folder ? texts.library.renameFolder : texts.library.newFolder} onClose={onClose} onSubmit={save}>
      <Field label={texts.library.folderName} value={name} maxLength={255} dir="auto" autoFocus onChange={setName} />
      <DialogActions>
        <Button onClick={onClose}>{texts.ui.cancel}</Button>
        <Button variant="primary" type="submit" busy={create.isPending || rename.isPending} onClick={save}>
          {folder ? texts.library.save : texts.library.create}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function DeleteFolderDialog({ folder, onClose }: { folder: Folder; onClose: () => void }) {
  const remove = useApiMutation('v2 DELETE /media-folder/{id}', {
    invalidates: [...folderLists, 'GET /media'],
    onSuccess: () => {
      onClose()
      setSearch({ folder: folder.FolderId ?? '', asset: '' }, { replace: true })
    },
    onError: ({ message }) => toast(message, { kind: 'problem' }),
  })
  return (
    <Dialog title={texts.library.deleteFolder} onClose={onClose} onSubmit={() => remove.mutate({ id: folder.Id })}>
      <p dir="auto">{texts.library.deleteFolderWhy(folder.Name)}</p>
      <DialogActions>
        <Button onClick={onClose}>{texts.ui.cancel}</Button>
        <Button variant="danger" type="submit" busy={remove.isPending} onClick={() => remove.mutate({ id: folder.Id })}>
          {texts.library.delete}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** Selects a folder by its full path. */
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
      label={texts.library.folder}
      value={value}
      options={[{ value: '', label: texts.library.noFolder }, ...options]}
      onChange={onChange}
    />
  )
}
