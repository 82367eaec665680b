import { useMemo, useRef, useState } from 'react'
import { told, useChange, usePages } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { forgetUpload, type Sending, tryAgain, upload, useUploads } from '@/api/uploads.ts'
import { words } from '@/i18n/texts.ts'
import { changeSearch, go, useAddress, valuesOf, withSearch } from '@/routes/router.ts'
import { useKeys } from '@/shell/shortcuts.ts'
import { Button, IconButton } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { Field, Select } from '@/ui/field.tsx'
import { Filter, Find, ToggleChip } from '@/ui/filters.tsx'
import { Bar } from '@/ui/layout.tsx'
import { Empty, Problem, Progress, Waiting } from '@/ui/states.tsx'
import { type Asset, AssetGrid, isImage } from './asset-grid.tsx'
import { AssetPanel } from './asset-panel.tsx'
import { FolderBar } from './folders.tsx'

const types = ['Image', 'Video', 'PDF'] as const
const orders = ['created,0', 'created,1', 'name,1'] as const
type Order = (typeof orders)[number]

/** All files of the account, in folders. Files are dropped anywhere on it. */
export function Library() {
  const { search } = useAddress()
  const may = useMay()
  const chooser = useRef<HTMLInputElement>(null)
  const [isOver, setIsOver] = useState(false)
  const [isAdding, setIsAdding] = useState(false)
  const [lookedAt, setLookedAt] = useState<string>()
  const folderId = search.get('folder') ?? ''
  const q = search.get('q') ?? ''
  const [type] = valuesOf(search, 'type')
  const order = (search.get('order') as Order | null) ?? 'created,0'
  const unused = search.has('unused')
  const openId = search.get('asset') ?? ''
  const isFiltered = q !== '' || type !== undefined || unused
  const { items, total, isFirst, error, more, again } = usePages('GET /media', {
    _count: 100,
    _order: order,
    ...(q && { q }),
    ...(type && { type: type as (typeof types)[number] }),
    ...(unused && { unused: true }),
    // Whoever looks for something looks everywhere.
    ...(folderId ? { folderId } : !isFiltered && { folderId: '' }),
  })
  const mayAdd = may('contribute')
  const take = (files: FileList | null) => {
    if (files && files.length > 0 && mayAdd) upload([...files], folderId)
  }
  useKeys(
    useMemo(
      () => (mayAdd ? [{ keys: 'u', name: words.library.upload, run: () => chooser.current?.click() }] : []),
      [mayAdd],
    ),
  )
  const looked = items.find(({ Id }) => Id === lookedAt)
  return (
    <>
      <Bar
        title={words.library.title}
        about={isFirst ? undefined : words.library.about(total)}
        actions={
          mayAdd && (
            <>
              <Button icon="globe" onClick={() => setIsAdding(true)}>
                {words.library.fromAddress}
              </Button>
              <Button kind="main" icon="upload" keys="u" onClick={() => chooser.current?.click()}>
                {words.library.upload}
              </Button>
              <input
                ref={chooser}
                type="file"
                hidden
                multiple
                accept="image/jpeg,image/png,image/gif,video/mp4,application/pdf"
                onChange={({ target }) => {
                  take(target.files)
                  target.value = ''
                }}
              />
            </>
          )
        }
      >
        <Find label={words.library.find} value={q} onChange={(text) => changeSearch({ q: text }, { replace: true })} />
        <Filter
          label={words.library.type}
          options={types.map((value) => ({ value, label: words.library.types[value] }))}
          values={type ? [type] : []}
          onChange={(values) => changeSearch({ type: values.at(-1) })}
        />
        <ToggleChip isOn={unused} onChange={(isOn) => changeSearch({ unused: isOn ? '1' : '' })}>
          {words.library.unused}
        </ToggleChip>
        <Select
          label={words.library.sort}
          quietLabel
          value={order}
          options={orders.map((value) => ({ value, label: words.library.orders[value] }))}
          onChange={(value) => changeSearch({ order: value === 'created,0' ? '' : value })}
        />
      </Bar>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is one of several ways; the button is for keys */}
      <div
        className="library"
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
          take(event.dataTransfer.files)
        }}
      >
        <div className="library-files">
          <FolderBar folderId={folderId} isFiltered={isFiltered} />
          {error && <Problem {...told(error)} onAgain={again} />}
          {isFirst && !error && <Waiting />}
          {!isFirst && items.length === 0 && (
            <Empty icon="media" title={isFiltered ? words.library.nothingFits : words.library.none}>
              {!isFiltered && words.library.noneWhy}
            </Empty>
          )}
          {items.length > 0 && (
            <AssetGrid
              assets={items}
              openId={openId}
              onOpen={({ Id }) => changeSearch({ asset: Id })}
              onLook={({ Id }) => setLookedAt(Id)}
              onNearEnd={more}
            />
          )}
          <UploadList />
        </div>
        {openId && (
          <AssetPanel
            key={openId}
            id={openId}
            onClose={() => go(withSearch({ asset: '' }))}
            onLook={() => setLookedAt(openId)}
          />
        )}
        {isOver && <p className="library-drop">{words.library.drop}</p>}
      </div>
      {isAdding && <FromAddress folderId={folderId} onClose={() => setIsAdding(false)} />}
      {looked && <Looking asset={looked} onClose={() => setLookedAt(undefined)} />}
    </>
  )
}

/** An image of somewhere else, fetched at once. */
export function FromAddress({ folderId, onClose }: { folderId: string; onClose: () => void }) {
  const [resource, setResource] = useState('')
  const [problem, setProblem] = useState<string>()
  const add = useChange('v2 POST /media', {
    stale: ['GET /media', 'v2 GET /media'],
    done: ({ Media }) => {
      onClose()
      changeSearch({ asset: Media.Id })
    },
    refused: ({ message }) => setProblem(message),
  })
  const submit = () => add.mutate({ resource, folderId })
  return (
    <Dialog title={words.library.fromAddress} onClose={onClose} onSubmit={submit}>
      <Field
        label={words.library.address}
        hint={words.library.addressHint}
        problem={problem}
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
        <Button onClick={onClose}>{words.ui.cancel}</Button>
        <Button kind="main" type="submit" busy={add.isPending} onClick={submit}>
          {words.library.add}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** An asset as large as it fits. A document is shown by the browser that saves it. */
export const Looking = ({ asset, onClose }: { asset: Asset; onClose: () => void }) => (
  <Dialog title={asset.Name} onClose={onClose} className="looking">
    {isImage(asset) && <img src={asset.Address} alt={asset.Description} />}
    {asset.Type === 'Video' && (
      // biome-ignore lint/a11y/useMediaCaption: it is somebody's own film, as it is
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

/** Files on their way, wherever one goes meanwhile. */
export function UploadList() {
  const uploads = useUploads()
  if (uploads.length === 0) return null
  return (
    <section className="upload-list" aria-label={words.library.uploads}>
      <h2>{words.library.uploads}</h2>
      <ul>
        {uploads.map((sending) => (
          <UploadRow key={sending.id} sending={sending} />
        ))}
      </ul>
    </section>
  )
}

function UploadRow({ sending: { id, name, size, sent, pace, state, problem } }: { sending: Sending }) {
  const isOver = state === 'done' || state === 'failed'
  return (
    <li className="upload" data-state={state}>
      <span className="upload-name" dir="auto">
        {name}
      </span>
      {!isOver && <Progress label={name} part={size === 0 ? 0 : sent / size} />}
      <span className="quiet number">
        {state === 'failed'
          ? problem
          : state === 'sending'
            ? words.library.progress(sent, size, pace)
            : words.library.states[state]}
      </span>
      {state === 'failed' && (
        <Button icon="again" onClick={() => tryAgain(id)}>
          {words.library.again}
        </Button>
      )}
      {isOver && <IconButton icon="close" label={words.ui.dismiss} onClick={() => forgetUpload(id)} />}
    </li>
  )
}
