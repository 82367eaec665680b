import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react'
import type { Body } from '@/api/call.ts'
import { texts } from '@/i18n/texts.ts'
import { Icon } from '@/ui/icons.tsx'
import { rootSize, useScrollPosition, visibleRows } from '@/ui/virtual-list.ts'
import * as styles from './library.module.css'

export type Asset = Body<'GET /media'>['Items'][number]

export const isImage = ({ Type }: Pick<Asset, 'Type'>) => Type === 'Image' || Type === 'ImageUrl'

/** Thumbnail; videos and documents have none. */
export const previewOf = (asset: Pick<Asset, 'Id' | 'Type'>) =>
  isImage(asset) ? `/app/api/media/${encodeURIComponent(asset.Id)}/preview` : undefined

/** Duration of a video: 1:02. */
export function lengthOf(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

interface AssetGridProps {
  assets: readonly Asset[]
  openId: string
  onOpen: (asset: Asset) => void
  onPreview: (asset: Asset) => void
  onNearEnd: () => void
}

/** A virtualized grid of equal tiles with one tab stop: arrow keys move, Enter opens, Space previews. */
export function AssetGrid({ assets, openId, onOpen, onPreview: onOpenPreview, onNearEnd }: AssetGridProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState(0)
  const { columns, row, first, last } = useTiles(scroller)
  const rows = Math.ceil(assets.length / columns)
  const [from, until] = [Math.min(first, Math.max(0, rows - 1)), Math.min(last, rows)]
  useEffect(() => {
    if (until >= rows - 2) onNearEnd()
  }, [until, rows, onNearEnd])
  const focus = (index: number) => {
    const next = Math.max(0, Math.min(index, assets.length - 1))
    setAt(next)
    const top = Math.floor(next / columns) * row
    const { scrollTop = 0, clientHeight = 0 } = scroller.current ?? {}
    if (top < scrollTop || top + row > scrollTop + clientHeight)
      scroller.current?.scrollTo({ top: Math.max(0, top - row) })
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-index="${next}"]`)?.focus())
  }
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const across = getComputedStyle(event.currentTarget).direction === 'rtl' ? -1 : 1
    const steps: { [key: string]: number } = {
      ArrowRight: across,
      ArrowLeft: -across,
      ArrowDown: columns,
      ArrowUp: -columns,
      j: 1,
      k: -1,
      Home: -at,
      End: assets.length,
      PageDown: 4 * columns,
      PageUp: -4 * columns,
    }
    const step = steps[event.key]
    const asset = assets[at]
    if (step !== undefined) focus(at + step)
    else if (event.key === ' ' && asset) onOpenPreview(asset)
    else return
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: delegated key handler for all tiles
    <div className={styles.assetGrid} ref={scroller} onKeyDown={press}>
      <ul
        aria-label={texts.library.files}
        style={{ paddingBlockStart: from * row, paddingBlockEnd: (rows - until) * row }}
      >
        {assets.slice(from * columns, until * columns).map((asset, offset) => {
          const index = from * columns + offset
          return (
            <li key={asset.Id} aria-setsize={assets.length} aria-posinset={index + 1}>
              <button
                type="button"
                data-testid="asset-tile"
                className={styles.assetTile}
                data-index={index}
                data-open={asset.Id === openId || undefined}
                tabIndex={index === Math.min(at, assets.length - 1) ? 0 : -1}
                onFocus={() => setAt(index)}
                onClick={() => onOpen(asset)}
                onDoubleClick={() => onOpenPreview(asset)}
              >
                <Thumb asset={asset} />
                <span className={styles.assetTileName} dir="auto">
                  {asset.Name}
                </span>
              </button>
            </li>
          )
        })}
      </ul>
    </div>
  )
}

function Thumb({ asset }: { asset: Asset }) {
  const [isBroken, setIsBroken] = useState(false)
  const preview = previewOf(asset)
  return (
    <span className={styles.assetThumb} data-type={asset.Type}>
      {preview && !isBroken ? (
        <img src={preview} alt="" loading="lazy" decoding="async" onError={() => setIsBroken(true)} />
      ) : (
        <Icon name={asset.Type === 'Video' ? 'film' : isImage(asset) ? 'picture' : 'document'} />
      )}
      {asset.Type === 'Video' && asset.DurationMs !== null && (
        <span className={styles.assetThumbMark}>{lengthOf(asset.DurationMs)}</span>
      )}
      {asset.Type === 'PDF' && asset.Pages !== null && <span className={styles.assetThumbMark}>{asset.Pages}</span>}
    </span>
  )
}

const overscan = 2

/** Number of columns, row height, and visible rows. */
function useTiles(scroller: React.RefObject<HTMLElement | null>) {
  const [visibleRange, setVisibleRange] = useState({ columns: 4, row: 176, first: 0, last: 6 })
  const measure = useCallback((element: HTMLElement) => {
    const columns = Math.max(2, Math.floor(element.clientWidth / (10 * rootSize())))
    const row = 10.5 * rootSize()
    const { from: first, until: last } = visibleRows(element, row, overscan)
    element.style.setProperty('--columns', String(columns))
    setVisibleRange((before) =>
      before.columns === columns && before.first === first && before.last === last && before.row === row
        ? before
        : { columns, row, first, last },
    )
  }, [])
  useScrollPosition(scroller, measure)
  return visibleRange
}
