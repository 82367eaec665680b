import { useSyncExternalStore } from 'react'
import { words } from '@/i18n/texts.ts'
import { now } from '@/time/days.ts'
import { IconButton } from './button.tsx'

export interface Notice {
  id: number
  text: string
  at: number
  kind?: 'problem'
  /** A way back, for as long as it is shown. */
  action?: { label: string; run: () => void }
}

let shown: readonly Notice[] = []
let all: readonly Notice[] = []
let last = 0
const hearers = new Set<() => void>()
const tell = () => {
  for (const hear of hearers) hear()
}
const listen = (hear: () => void) => {
  hearers.add(hear)
  return () => void hearers.delete(hear)
}

const lasts = 10_000
const atOnce = 3
const remembered = 30

/** Says what happened, for ten seconds, with a way back where there is one; afterwards it stands behind the bell. */
export function say(text: string, more: Pick<Notice, 'kind' | 'action'> = {}): void {
  const notice = { id: ++last, text, at: now(), ...more }
  shown = [...shown.slice(1 - atOnce), notice]
  all = [notice, ...all].slice(0, remembered)
  tell()
  setTimeout(() => hide(notice.id), lasts)
}

function hide(id: number) {
  shown = shown.filter((notice) => notice.id !== id)
  tell()
}

/** What was said, newest first. */
export const useNotices = () => useSyncExternalStore(listen, () => all)

/** The one place where things are announced, aloud too. */
export function Toasts() {
  const notices = useSyncExternalStore(listen, () => shown)
  return (
    <div className="toasts" role="status" aria-live="polite">
      {notices.map(({ id, text, kind, action }) => (
        <div key={id} className="toast" data-kind={kind}>
          <span dir="auto">{text}</span>
          {action && (
            <button
              type="button"
              onClick={() => {
                hide(id)
                action.run()
              }}
            >
              {action.label}
            </button>
          )}
          <IconButton icon="close" label={words.ui.dismiss} onClick={() => hide(id)} />
        </div>
      ))}
    </div>
  )
}
