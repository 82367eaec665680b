import { type FormEvent, type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { texts } from '@/i18n/texts.ts'
import { IconButton } from './button.tsx'

interface DialogProps {
  title: string
  onClose: () => void
  children: ReactNode
  /** The title is plain from what is inside, and only said. */
  hideTitle?: boolean
  /** What its form is sent for. */
  onSubmit?: () => void
  className?: string
}

/** The browser's own dialog: it keeps the focus inside, makes the rest inert, closes on Escape and gives the focus back. */
export function Dialog({
  title,
  onClose,
  children,
  hideTitle: quietTitle = false,
  onSubmit,
  className = '',
}: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Closed before it is taken away: only then the browser gives the focus back.
  useLayoutEffect(() => {
    const element = dialog.current
    if (element && !element.open) element.showModal()
    // What is to be filled in has the focus, not what closes it.
    element?.querySelector<HTMLElement>('.dialog-head ~ * :is(input, textarea, select)')?.focus()
    return () => element?.close()
  }, [])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit?.()
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape is the key for what a click beside it does
    <dialog
      ref={dialog}
      className={`dialog ${className}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <form className="dialog-body" onSubmit={submit} noValidate>
        <header className={quietTitle ? 'unseen' : 'dialog-head'}>
          <h2 id={id}>{title}</h2>
          {!quietTitle && <IconButton icon="close" label={texts.ui.close} onClick={onClose} />}
        </header>
        {children}
      </form>
    </dialog>
  )
}

/** What can be done at the end of a dialog; the main thing last. */
export const DialogActions = ({ children }: { children: ReactNode }) => <div className="dialog-actions">{children}</div>
