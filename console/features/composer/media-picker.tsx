import { useRef, useState } from 'react'
import { errorDetails, usePagedQuery } from '@/api/queries.ts'
import { texts } from '@/i18n/texts.ts'
import { Button } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { SearchField } from '@/ui/filters.tsx'
import { Icon } from '@/ui/icons.tsx'
import { EmptyState, ErrorMessage, Loading } from '@/ui/states.tsx'
import { Thumb } from './attachments.tsx'
import { type Attached, attachedOf } from './composition.ts'
import * as styles from './media-picker.module.css'

interface MediaPickerProps {
  attached: readonly Attached[]
  onPick: (files: readonly Attached[]) => void
  onFiles: (files: readonly File[]) => void
  onClose: () => void
}

/** Attaches files of the library, or uploads new ones from this device. */
export function MediaPicker({ attached, onPick, onFiles, onClose }: MediaPickerProps) {
  const [q, setQ] = useState('')
  const [picked, setPicked] = useState<readonly Attached[]>([])
  const chooser = useRef<HTMLInputElement>(null)
  const {
    items,
    total,
    isLoading: isFirst,
    error,
    loadMore: more,
    retry,
  } = usePagedQuery('GET /media', { _count: 48, ...(q && { q }) })
  const isPicked = (id: string) => picked.some(({ Id }) => Id === id)
  const left = items.filter(({ Id }) => !attached.some((one) => one.Id === Id))
  return (
    <Dialog
      title={texts.composer.pickTitle}
      className={styles.mediaPicker}
      onClose={onClose}
      onSubmit={() => (picked.length > 0 ? onPick(picked) : onClose())}
    >
      <div className={styles.bar}>
        <SearchField label={texts.composer.findMedia} value={q} onChange={setQ} />
        <Button icon="upload" onClick={() => chooser.current?.click()}>
          {texts.composer.upload}
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
      {error && <ErrorMessage {...errorDetails(error)} onRetry={retry} />}
      {isFirst && !error && <Loading />}
      {!isFirst && left.length === 0 && <EmptyState icon="media" title={texts.composer.noMedia} />}
      <ul className={styles.files} aria-label={texts.composer.libraryFiles}>
        {left.map((asset) => (
          <li key={asset.Id}>
            <button
              type="button"
              data-testid="media-picker-file"
              className={styles.file}
              aria-pressed={isPicked(asset.Id)}
              onClick={() =>
                setPicked(
                  isPicked(asset.Id) ? picked.filter(({ Id }) => Id !== asset.Id) : [...picked, attachedOf(asset)],
                )
              }
            >
              <Thumb file={asset} />
              <span className={styles.name} dir="auto">
                {asset.Name}
              </span>
              {isPicked(asset.Id) && <Icon name="check" />}
            </button>
          </li>
        ))}
      </ul>
      {items.length < total && <Button onClick={more}>{texts.ui.more}</Button>}
      <DialogActions>
        <Button onClick={onClose}>{texts.ui.cancel}</Button>
        <Button
          type="submit"
          variant="primary"
          disabledReason={picked.length === 0 ? texts.composer.pickSome : undefined}
        >
          {texts.composer.attach(picked.length)}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
