import { useRef, useState } from 'react'
import { told, usePages } from '@/api/queries.ts'
import { words } from '@/i18n/texts.ts'
import { Button } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { Find } from '@/ui/filters.tsx'
import { Icon } from '@/ui/icons.tsx'
import { Empty, Problem, Waiting } from '@/ui/states.tsx'
import { Thumb } from './attachments.tsx'
import { type Attached, attachedOf } from './composition.ts'

interface MediaPickerProps {
  attached: readonly Attached[]
  onPick: (files: readonly Attached[]) => void
  onFiles: (files: readonly File[]) => void
  onClose: () => void
}

/** Files of the library to go with the words, or new ones from this device. */
export function MediaPicker({ attached, onPick, onFiles, onClose }: MediaPickerProps) {
  const [q, setQ] = useState('')
  const [picked, setPicked] = useState<readonly Attached[]>([])
  const chooser = useRef<HTMLInputElement>(null)
  const { items, total, isFirst, error, more, again } = usePages('GET /media', { _count: 48, ...(q && { q }) })
  const isPicked = (id: string) => picked.some(({ Id }) => Id === id)
  const left = items.filter(({ Id }) => !attached.some((one) => one.Id === Id))
  return (
    <Dialog
      title={words.composer.pickTitle}
      className="media-picker"
      onClose={onClose}
      onSubmit={() => (picked.length > 0 ? onPick(picked) : onClose())}
    >
      <div className="media-picker-bar">
        <Find label={words.composer.findMedia} value={q} onChange={setQ} />
        <Button icon="upload" onClick={() => chooser.current?.click()}>
          {words.composer.upload}
        </Button>
        <input
          ref={chooser}
          type="file"
          hidden
          multiple
          accept="image/jpeg,image/png,image/gif,video/mp4,application/pdf"
          onChange={({ target }) => {
            if (target.files) onFiles([...target.files])
            onClose()
          }}
        />
      </div>
      {error && <Problem {...told(error)} onAgain={again} />}
      {isFirst && !error && <Waiting />}
      {!isFirst && left.length === 0 && <Empty icon="media" title={words.composer.noMedia} />}
      <ul className="media-picker-files" aria-label={words.composer.libraryFiles}>
        {left.map((asset) => (
          <li key={asset.Id}>
            <button
              type="button"
              className="media-picker-file"
              aria-pressed={isPicked(asset.Id)}
              onClick={() =>
                setPicked(
                  isPicked(asset.Id) ? picked.filter(({ Id }) => Id !== asset.Id) : [...picked, attachedOf(asset)],
                )
              }
            >
              <Thumb file={asset} />
              <span className="media-picker-name" dir="auto">
                {asset.Name}
              </span>
              {isPicked(asset.Id) && <Icon name="check" />}
            </button>
          </li>
        ))}
      </ul>
      {items.length < total && <Button onClick={more}>{words.ui.more}</Button>}
      <DialogActions>
        <Button onClick={onClose}>{words.ui.cancel}</Button>
        <Button type="submit" kind="main" refuses={picked.length === 0 ? words.composer.pickSome : undefined}>
          {words.composer.attach(picked.length)}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
