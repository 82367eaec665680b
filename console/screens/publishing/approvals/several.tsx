import { useState } from 'react'
import { Button } from '../../../ui/inputs/button.tsx'
import { TextArea } from '../../../ui/inputs/field.tsx'
import { Dialog, DialogActions } from '../../../ui/layers/dialog.tsx'
import { words } from '../../../words/words.ts'

interface SeveralProps {
  count: number
  busy: boolean
  isRejecting: boolean
  onReject: (isRejecting: boolean) => void
  onDecide: (isApprove: boolean, note: string) => void
  onClear: () => void
}

/** What can be done with all that are selected, at once. */
export function Several({ count, busy, isRejecting, onReject, onDecide, onClear }: SeveralProps) {
  const [note, setNote] = useState('')
  const [isAsked, setIsAsked] = useState(false)
  const isMissing = note.trim() === ''
  return (
    <div className="several" role="toolbar" aria-label={words.approvals.selected(count)}>
      <span>{words.approvals.selected(count)}</span>
      <Button kind="main" keys="a" busy={busy} onClick={() => onDecide(true, '')}>
        {words.approvals.approveSelected(count)}
      </Button>
      <Button keys="r" busy={busy} onClick={() => onReject(true)}>
        {words.approvals.rejectSelected(count)}
      </Button>
      <Button kind="bare" onClick={onClear}>
        {words.approvals.clear}
      </Button>
      {isRejecting && (
        <Dialog
          title={words.approvals.rejectTitle(count)}
          onClose={() => onReject(false)}
          onSubmit={() => {
            setIsAsked(true)
            if (!isMissing) onDecide(false, note)
          }}
        >
          <TextArea
            label={words.approvals.why}
            hint={words.approvals.whyHint}
            problem={isAsked && isMissing ? words.approvals.whyMissing : undefined}
            maxLength={2000}
            rows={3}
            value={note}
            onChange={setNote}
          />
          <DialogActions>
            <Button onClick={() => onReject(false)}>{words.ui.cancel}</Button>
            <Button type="submit" kind="danger" busy={busy}>
              {words.approvals.rejectSelected(count)}
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </div>
  )
}
