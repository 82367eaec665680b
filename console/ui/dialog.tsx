import { type FormEvent, type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { texts } from '@/i18n/texts.ts'
import { IconButton } from './button.tsx'
import * as styles from './dialog.module.css'

interface DialogProps {
  title: string
  onClose: () => void
  children: ReactNode
  /** The title is plain from what is inside, and only said. */
  hideTitle?: boolean
  /** What its form is sent for. */
  onSubmit?: () => void
  className?: string
  'data-testid'?: string
}

/** The browser's own dialog: it keeps the focus inside, makes the rest inert, closes on Escape and gives the focus back. */
export function Dialog({
  title,
  onClose,
  children,
  hideTitle = false,
  onSubmit,
  className = '',
  'data-testid': testId,
}: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Closed before it is taken away: only then the browser gives the focus back.
  useLayoutEffect(() => {
    const element = dialog.current
    if (element && !element.open) element.showModal()
    // What is to be filled in has the focus, not what closes it.
    element?.querySelector<HTMLElement>('[data-head] ~ * :is(input, textarea, select)')?.focus()
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
      data-testid={testId}
      className={`${styles.dialog} ${className}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <form data-ui="dialog-body" className={styles.body} onSubmit={submit} noValidate>
        <header className={hideTitle ? 'visually-hidden' : styles.head} data-head={!hideTitle || undefined}>
          <h2 id={id}>{title}</h2>
          {!hideTitle && <IconButton icon="close" label={texts.ui.close} onClick={onClose} />}
        </header>
        {children}
      </form>
    </dialog>
  )
}

/** What can be done at the end of a dialog; the main thing last. */
export const DialogActions = ({ children }: { children: ReactNode }) => <div className={styles.actions}>{children}</div>
