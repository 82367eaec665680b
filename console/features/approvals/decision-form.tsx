import { type RefObject, useEffect, useImperativeHandle, useRef, useState } from 'react'
import { deleteLocalDraft, readLocalDraft, saveLocalDraft } from '@/api/local-drafts.ts'
import { errorDetails, useApiMutation } from '@/api/queries.ts'
import { useMay, useSession } from '@/api/session.ts'
import { texts } from '@/i18n/texts.ts'
import { Button } from '@/ui/button.tsx'
import { TextArea } from '@/ui/field.tsx'
import { toast } from '@/ui/toasts.tsx'
import type { Item } from './approval-item.ts'
import * as styles from './approvals.module.css'

export interface DecisionActions {
  approve: (openNext: boolean) => void
  reject: () => void
  note: () => void
}

interface AnswerProps {
  item: Item
  busy: boolean
  /** Lets keyboard shortcuts trigger the form's actions. */
  actionsRef: RefObject<DecisionActions | null>
  onDecide: (isApprove: boolean, note: string, how: { openNext: boolean; done: () => void }) => void
}

/** Approve, reject with a reason, or comment. Unsent text is kept as a draft. */
export function DecisionForm({ item, busy, actionsRef, onDecide }: AnswerProps) {
  const may = useMay()
  const mayDecide = may('approve') && item.MayDecide === 1
  const [isRejecting, setIsRejecting] = useState(false)
  const [isMissing, setIsMissing] = useState(false)
  const { text, write, forget } = useNoteDraft(item.Id)
  const form = useRef<HTMLFormElement>(null)
  // Synchronously: text typed right after the shortcut belongs to the note.
  const focus = () => form.current?.querySelector('textarea')?.focus()
  const note = useApiMutation('v2 PUT /workflow-item-note', {
    invalidates: ['v2 GET /workflow-item-note'],
    onSuccess: forget,
    onError: (failure) => toast(errorDetails(failure).message, { kind: 'problem' }),
  })
  const begin = (rejecting: boolean) => {
    setIsRejecting(rejecting)
    setIsMissing(false)
    focus()
  }
  useImperativeHandle(actionsRef, () => ({
    approve: (openNext) => mayDecide && onDecide(true, '', { openNext, done: () => {} }),
    reject: () => mayDecide && begin(true),
    note: () => begin(false),
  }))
  const submit = () => {
    if (text.trim() === '') {
      setIsMissing(true)
      return focus()
    }
    if (!isRejecting) return note.mutate({ id: item.Id, note: text })
    onDecide(false, text, {
      openNext: false,
      done: () => {
        forget()
        setIsRejecting(false)
      },
    })
  }
  if (!may('contribute')) return null
  return (
    <form
      data-testid="decision-form"
      className={styles.decisionForm}
      ref={form}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit()
        else if (event.key === 'Escape' && isRejecting) {
          event.preventDefault()
          setIsRejecting(false)
        }
      }}
    >
      <TextArea
        label={isRejecting ? texts.approvals.why : texts.approvals.note}
        hint={isRejecting ? texts.approvals.whyHint : texts.approvals.noteHint}
        error={isMissing && isRejecting && text.trim() === '' ? texts.approvals.whyMissing : undefined}
        maxLength={2000}
        rows={1}
        value={text}
        onChange={write}
      />
      <div className={styles.decisionActions}>
        {isRejecting ? (
          <>
            <Button type="submit" variant="danger" busy={busy}>
              {texts.approvals.reject}
            </Button>
            <Button onClick={() => setIsRejecting(false)}>{texts.ui.cancel}</Button>
          </>
        ) : (
          <>
            {mayDecide && (
              <>
                <Button variant="primary" shortcut="a" busy={busy} onClick={() => actionsRef.current?.approve(false)}>
                  {texts.approvals.approve}
                </Button>
                <Button shortcut="r" busy={busy} onClick={() => begin(true)}>
                  {texts.approvals.reject}
                </Button>
              </>
            )}
            {text.trim() !== '' && (
              <Button type="submit" busy={note.isPending}>
                {texts.approvals.addNote}
              </Button>
            )}
          </>
        )}
      </div>
      {!mayDecide && item.Status === 'pending' && may('approve') && <p className="muted">{texts.approvals.notYours}</p>}
    </form>
  )
}

/** An unsent note, stored on this device. */
function useNoteDraft(itemId: string) {
  const owner = useSession().User.Id
  const id = `note ${itemId}`
  const [text, setText] = useState('')
  const hasWritten = useRef(false)
  useEffect(() => {
    void readLocalDraft<string>(owner, id).then((draft) => {
      if (draft && !hasWritten.current) setText(draft.content)
    })
  }, [owner, id])
  return {
    text,
    write: (next: string) => {
      hasWritten.current = true
      setText(next)
      saveLocalDraft(owner, id, next)
    },
    forget: () => {
      setText('')
      void deleteLocalDraft(owner, id)
    },
  }
}
