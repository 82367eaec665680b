import { useMemo, useRef, useState } from 'react'
import { useKeys } from '../../../shell/keys.ts'
import { changeSearch, go, useAddress, valuesOf, withSearch } from '../../../shell/router.ts'
import { Button } from '../../../ui/inputs/button.tsx'
import { Select } from '../../../ui/inputs/field.tsx'
import { Filter, Find } from '../../../ui/inputs/filters.tsx'
import { ToggleChip } from '../../../ui/inputs/toggle-chip.tsx'
import { Bar } from '../../../ui/layout/bar.tsx'
import { Empty, Problem, Waiting } from '../../../ui/layout/states.tsx'
import { usePages } from '../../../wire/pages.ts'
import { told } from '../../../wire/queries.ts'
import { useMay } from '../../../wire/session.ts'
import { upload } from '../../../wire/uploads.ts'
import { words } from '../../../words/words.ts'
import { AssetGrid } from './asset-grid.tsx'
import { AssetPanel } from './asset-panel.tsx'
import { FolderBar } from './folder-bar.tsx'
import { FromAddress } from './from-address.tsx'
import { Looking } from './looking.tsx'
import { UploadList } from './upload-list.tsx'

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
