import { type RefObject, useEffect, useImperativeHandle, useRef, useState } from 'react'
import { forgetDraft, keepDraft, readDraft } from '@/api/local-drafts.ts'
import { told, useChange } from '@/api/queries.ts'
import { useMay, useWho } from '@/api/session.ts'
import { words } from '@/i18n/texts.ts'
import { Button } from '@/ui/button.tsx'
import { TextArea } from '@/ui/field.tsx'
import { say } from '@/ui/toasts.tsx'
import type { Item } from './approval-item.ts'

export interface Answering {
  approve: (andNext: boolean) => void
  reject: () => void
  note: () => void
}

interface AnswerProps {
  item: Item
  busy: boolean
  /** By which keys reach it. */
  answering: RefObject<Answering | null>
  onDecide: (isApprove: boolean, note: string, how: { andNext: boolean; done: () => void }) => void
}

/** What one says to it: yes, no and why, or something beside. What is being written stays until it was said. */
export function AnswerForm({ item, busy, answering, onDecide }: AnswerProps) {
  const may = useMay()
  const mayDecide = may('approve') && item.MayDecide === 1
  const [isRejecting, setIsRejecting] = useState(false)
  const [isMissing, setIsMissing] = useState(false)
  const { text, write, forget } = useKeptNote(item.Id)
  const form = useRef<HTMLFormElement>(null)
  // At once: what is typed right after the key belongs to the note.
  const focus = () => form.current?.querySelector('textarea')?.focus()
  const note = useChange('v2 PUT /workflow-item-note', {
    stale: ['v2 GET /workflow-item-note'],
    done: forget,
    refused: (failure) => say(told(failure).sentence, { kind: 'problem' }),
  })
  const begin = (rejecting: boolean) => {
    setIsRejecting(rejecting)
    setIsMissing(false)
    focus()
  }
  useImperativeHandle(answering, () => ({
    approve: (andNext) => mayDecide && onDecide(true, '', { andNext, done: () => {} }),
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
      andNext: false,
      done: () => {
        forget()
        setIsRejecting(false)
      },
    })
  }
  if (!may('contribute')) return null
  return (
    <form
      className="answer"
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
        label={isRejecting ? words.approvals.why : words.approvals.note}
        hint={isRejecting ? words.approvals.whyHint : words.approvals.noteHint}
        problem={isMissing && isRejecting && text.trim() === '' ? words.approvals.whyMissing : undefined}
        maxLength={2000}
        rows={1}
        value={text}
        onChange={write}
      />
      <div className="answer-row">
        {isRejecting ? (
          <>
            <Button type="submit" kind="danger" busy={busy}>
              {words.approvals.reject}
            </Button>
            <Button onClick={() => setIsRejecting(false)}>{words.ui.cancel}</Button>
          </>
        ) : (
          <>
            {mayDecide && (
              <>
                <Button kind="main" keys="a" busy={busy} onClick={() => answering.current?.approve(false)}>
                  {words.approvals.approve}
                </Button>
                <Button keys="r" busy={busy} onClick={() => begin(true)}>
                  {words.approvals.reject}
                </Button>
              </>
            )}
            {text.trim() !== '' && (
              <Button type="submit" busy={note.isPending}>
                {words.approvals.addNote}
              </Button>
            )}
          </>
        )}
      </div>
      {!mayDecide && item.Status === 'pending' && may('approve') && <p className="quiet">{words.approvals.notYours}</p>}
    </form>
  )
}

/** A note that is being written, kept on this device. */
function useKeptNote(itemId: string) {
  const owner = useWho().User.Id
  const id = `note ${itemId}`
  const [text, setText] = useState('')
  const hasWritten = useRef(false)
  useEffect(() => {
    void readDraft<string>(owner, id).then((draft) => {
      if (draft && !hasWritten.current) setText(draft.content)
    })
  }, [owner, id])
  return {
    text,
    write: (next: string) => {
      hasWritten.current = true
      setText(next)
      keepDraft(owner, id, next)
    },
    forget: () => {
      setText('')
      void forgetDraft(owner, id)
    },
  }
}
