import { useMemo, useRef, useState } from 'react'
import { errorDetails, useApiMutation, usePagedQuery } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { dismissUpload, retryUpload, type Upload, upload, useUploads } from '@/api/uploads.ts'
import { texts } from '@/i18n/texts.ts'
import { hrefWith, listParam, navigate, setSearch, useLocation } from '@/routes/router.ts'
import { useShortcuts } from '@/shell/shortcuts.ts'
import { Button, IconButton } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { Field, Select } from '@/ui/field.tsx'
import { Filter, SearchField, ToggleChip } from '@/ui/filters.tsx'
import { PageHeader } from '@/ui/layout.tsx'
import { EmptyState, ErrorMessage, Loading, Progress } from '@/ui/states.tsx'
import { type Asset, AssetGrid, isImage } from './asset-grid.tsx'
import { AssetPanel } from './asset-panel.tsx'
import { FolderBar } from './folders.tsx'
import * as styles from './library.module.css'

const types = ['Image', 'Video', 'PDF'] as const
const orders = ['created,0', 'created,1', 'name,1'] as const
type Order = (typeof orders)[number]

/** All files of the account, in folders. Files can be dropped anywhere on it. */
export function Library() {
  const { search } = useLocation()
  const may = useMay()
  const chooser = useRef<HTMLInputElement>(null)
  const [isOver, setIsOver] = useState(false)
  const [isAdding, setIsAdding] = useState(false)
  const [previewId, setPreviewId] = useState<string>()
  const folderId = search.get('folder') ?? ''
  const q = search.get('q') ?? ''
  const [type] = listParam(search, 'type')
  const order = (search.get('order') as Order | null) ?? 'created,0'
  const unused = search.has('unused')
  const openId = search.get('asset') ?? ''
  const isFiltered = q !== '' || type !== undefined || unused
  const {
    items,
    total,
    isLoading: isFirst,
    error,
    loadMore: more,
    retry,
  } = usePagedQuery('GET /media', {
    _count: 100,
    _order: order,
    ...(q && { q }),
    ...(type && { type: type as (typeof types)[number] }),
    ...(unused && { unused: true }),
    // A search covers all folders.
    ...(folderId ? { folderId } : !isFiltered && { folderId: '' }),
  })
  const mayAdd = may('contribute')
  const uploadFiles = (files: FileList | null) => {
    if (files && files.length > 0 && mayAdd) upload([...files], folderId)
  }
  useShortcuts(
    useMemo(
      () => (mayAdd ? [{ keys: 'u', name: texts.library.upload, run: () => chooser.current?.click() }] : []),
      [mayAdd],
    ),
  )
  const previewed = items.find(({ Id }) => Id === previewId)
  return (
    <>
      <PageHeader
        title={texts.library.title}
        about={isFirst ? undefined : texts.library.about(total)}
        actions={
          mayAdd && (
            <>
              <Button icon="globe" onClick={() => setIsAdding(true)}>
                {texts.library.importFromUrl}
              </Button>
              <Button variant="primary" icon="upload" shortcut="u" onClick={() => chooser.current?.click()}>
                {texts.library.upload}
              </Button>
              <input
                ref={chooser}
                type="file"
                hidden
                multiple
                accept="image/jpeg,image/png,image/gif,video/mp4,application/pdf"
                onChange={({ target }) => {
                  uploadFiles(target.files)
                  target.value = ''
                }}
              />
            </>
          )
        }
      >
        <SearchField
          label={texts.library.find}
          value={q}
          onChange={(text) => setSearch({ q: text }, { replace: true })}
        />
        <Filter
          label={texts.library.type}
          options={types.map((value) => ({ value, label: texts.library.types[value] }))}
          values={type ? [type] : []}
          onChange={(values) => setSearch({ type: values.at(-1) })}
        />
        <ToggleChip isOn={unused} onChange={(isOn) => setSearch({ unused: isOn ? '1' : '' })}>
          {texts.library.unused}
        </ToggleChip>
        <Select
          label={texts.library.sort}
          hideLabel
          value={order}
          options={orders.map((value) => ({ value, label: texts.library.orders[value] }))}
          onChange={(value) => setSearch({ order: value === 'created,0' ? '' : value })}
        />
      </PageHeader>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the upload button is the keyboard alternative to dropping */}
      <div
        className={styles.library}
        data-over={isOver || undefined}
        onDragOver={(event) => {
          if (!mayAdd || !event.dataTransfer.types.includes('Files')) return
          event.preventDefault()
          setIsOver(true)
        }}
        onDragLeave={(event) => event.currentTarget.contains(event.relatedTarget as Node | null) || setIsOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          setIsOver(false)
          uploadFiles(event.dataTransfer.files)
        }}
      >
        <div className={styles.files}>
          <FolderBar folderId={folderId} isFiltered={isFiltered} />
          {error && <ErrorMessage {...errorDetails(error)} onRetry={retry} />}
          {isFirst && !error && <Loading />}
          {!isFirst && items.length === 0 && (
            <EmptyState icon="media" title={isFiltered ? texts.library.nothingFits : texts.library.none}>
              {!isFiltered && texts.library.noneWhy}
            </EmptyState>
          )}
          {items.length > 0 && (
            <AssetGrid
              assets={items}
              openId={openId}
              onOpen={({ Id }) => setSearch({ asset: Id })}
              onPreview={({ Id }) => setPreviewId(Id)}
              onNearEnd={more}
            />
          )}
          <UploadList />
        </div>
        {openId && (
          <AssetPanel
            key={openId}
            id={openId}
            onClose={() => navigate(hrefWith({ asset: '' }))}
            onLook={() => setPreviewId(openId)}
          />
        )}
        {isOver && <p className={styles.drop}>{texts.library.drop}</p>}
      </div>
      {isAdding && <ImportFromUrl folderId={folderId} onClose={() => setIsAdding(false)} />}
      {previewed && <PreviewDialog asset={previewed} onClose={() => setPreviewId(undefined)} />}
    </>
  )
}

export function ImportFromUrl({ folderId, onClose }: { folderId: string; onClose: () => void }) {
  const [resource, setResource] = useState('')
  const [problem, setProblem] = useState<string>()
  const add = useApiMutation('v2 POST /media', {
    invalidates: ['GET /media', 'v2 GET /media'],
    onSuccess: ({ Media }) => {
      onClose()
      setSearch({ asset: Media.Id })
    },
    onError: ({ message }) => setProblem(message),
  })
  const submit = () => add.mutate({ resource, folderId })
  return (
    <Dialog title={texts.library.importFromUrl} onClose={onClose} onSubmit={submit}>
      <Field
        label={texts.library.address}
        hint={texts.library.addressHint}
        error={problem}
        type="url"
        inputMode="url"
        placeholder="https://"
        value={resource}
        autoFocus
        onChange={(value) => {
          setResource(value)
          setProblem(undefined)
        }}
      />
      <DialogActions>
        <Button onClick={onClose}>{texts.ui.cancel}</Button>
        <Button variant="primary" type="submit" busy={add.isPending} onClick={submit}>
          {texts.library.add}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** An asset in full size. Documents are offered as a download. */
export const PreviewDialog = ({ asset, onClose }: { asset: Asset; onClose: () => void }) => (
  <Dialog title={asset.Name} onClose={onClose} data-testid="preview-dialog" className={styles.previewDialog}>
    {isImage(asset) && <img src={asset.Address} alt={asset.Description} />}
    {asset.Type === 'Video' && (
      // biome-ignore lint/a11y/useMediaCaption: the user's own video, which has no captions
      <video src={asset.Address} controls preload="metadata" />
    )}
    {asset.Type === 'PDF' && (
      <p>
        <a href={asset.Address} download={asset.Name}>
          {asset.Name}
        </a>
      </p>
    )}
  </Dialog>
)

/** Uploads in progress; stays visible during navigation. */
export function UploadList() {
  const uploads = useUploads()
  if (uploads.length === 0) return null
  return (
    <section className={styles.uploadList} aria-label={texts.library.uploads}>
      <h2>{texts.library.uploads}</h2>
      <ul>
        {uploads.map((sending) => (
          <UploadRow key={sending.id} sending={sending} />
        ))}
      </ul>
    </section>
  )
}

function UploadRow({ sending: { id, name, size, sent, speed: bytesPerSecond, state, problem } }: { sending: Upload }) {
  const isOver = state === 'done' || state === 'failed'
  return (
    <li data-testid="upload" className={styles.upload} data-state={state}>
      <span className={styles.uploadName} dir="auto">
        {name}
      </span>
      {!isOver && <Progress label={name} part={size === 0 ? 0 : sent / size} />}
      <span className="muted tabular-nums">
        {state === 'failed'
          ? problem
          : state === 'sending'
            ? texts.library.progress(sent, size, bytesPerSecond)
            : texts.library.states[state]}
      </span>
      {state === 'failed' && (
        <Button icon="again" onClick={() => retryUpload(id)}>
          {texts.library.again}
        </Button>
      )}
      {isOver && <IconButton icon="close" label={texts.ui.dismiss} onClick={() => dismissUpload(id)} />}
    </li>
  )
}
