import { useEffect, useState } from 'react'
import { texts } from '@/i18n/texts.ts'
import { createStore, useStore } from '@/store.ts'
import { now } from '@/time/days.ts'
import { IconButton } from './button.tsx'
import * as styles from './toasts.module.css'

export interface ToastMessage {
  id: number
  text: string
  at: number
  kind?: 'problem'
  /** An undo action, available while the toast is shown. */
  action?: { label: string; run: () => void }
}

const duration = 10_000
const maxVisible = 3
const maxHistory = 30

interface ToastState {
  visible: readonly ToastMessage[]
  /** Newest first. */
  history: readonly ToastMessage[]
}

const toasts = createStore<ToastState>({ visible: [], history: [] })

/** Shows a message for ten seconds, with an optional undo; afterwards it stays in the notification list. */
export function toast(text: string, more: Pick<ToastMessage, 'kind' | 'action'> = {}): void {
  const { visible, history } = toasts.get()
  const notice = { id: (history[0]?.id ?? 0) + 1, text, at: now(), ...more }
  toasts.set({
    visible: [...visible.slice(1 - maxVisible), notice],
    history: [notice, ...history].slice(0, maxHistory),
  })
}

function dismiss(id: number) {
  const { visible, history } = toasts.get()
  toasts.set({ visible: visible.filter((notice) => notice.id !== id), history })
}

/** Past toasts, newest first. */
export const useToastHistory = () => useStore(toasts).history

/** The only live region: announces toasts to screen readers. */
export function Toasts() {
  const { visible } = useStore(toasts)
  return (
    <div className={styles.toasts} role="status" aria-live="polite">
      {visible.map((notice) => (
        <Toast key={notice.id} notice={notice} />
      ))}
    </div>
  )
}

/** Stays while it has the focus or the pointer, so that its action can be reached. */
function Toast({ notice: { id, text, kind, action } }: { notice: ToastMessage }) {
  const [hasFocus, setHasFocus] = useState(false)
  const [hasPointer, setHasPointer] = useState(false)
  const isHeld = hasFocus || hasPointer
  useEffect(() => {
    if (isHeld) return
    const timer = setTimeout(() => dismiss(id), duration)
    return () => clearTimeout(timer)
  }, [id, isHeld])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only delays its end; the buttons inside are interactive
    <div
      data-ui="toast"
      className={styles.toast}
      data-kind={kind}
      onFocus={() => setHasFocus(true)}
      onBlur={() => setHasFocus(false)}
      onPointerEnter={({ pointerType }) => setHasPointer(pointerType === 'mouse')}
      onPointerLeave={() => setHasPointer(false)}
    >
      <span dir="auto">{text}</span>
      {action && (
        <button
          type="button"
          onClick={() => {
            dismiss(id)
            action.run()
          }}
        >
          {action.label}
        </button>
      )}
      <IconButton icon="close" label={texts.ui.dismiss} onClick={() => dismiss(id)} />
    </div>
  )
}
