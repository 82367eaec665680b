import { useSyncExternalStore } from 'react'
import { texts } from '@/i18n/texts.ts'
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

let visible: readonly ToastMessage[] = []
let history: readonly ToastMessage[] = []
let lastId = 0
const listeners = new Set<() => void>()
const notify = () => {
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

const duration = 10_000
const maxVisible = 3
const maxHistory = 30

/** Shows a message for ten seconds, with an optional undo; afterwards it stays in the notification list. */
export function toast(text: string, more: Pick<ToastMessage, 'kind' | 'action'> = {}): void {
  const notice = { id: ++lastId, text, at: now(), ...more }
  visible = [...visible.slice(1 - maxVisible), notice]
  history = [notice, ...history].slice(0, maxHistory)
  notify()
  setTimeout(() => dismiss(notice.id), duration)
}

function dismiss(id: number) {
  visible = visible.filter((notice) => notice.id !== id)
  notify()
}

/** Past toasts, newest first. */
export const useToastHistory = () => useSyncExternalStore(subscribe, () => history)

/** The only live region: announces toasts to screen readers. */
export function Toasts() {
  const notices = useSyncExternalStore(subscribe, () => visible)
  return (
    <div className={styles.toasts} role="status" aria-live="polite">
      {notices.map(({ id, text, kind, action }) => (
        <div key={id} data-ui="toast" className={styles.toast} data-kind={kind}>
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
      ))}
    </div>
  )
}
