import { type FormEvent, type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { texts } from '@/i18n/texts.ts'
import { IconButton } from './button.tsx'
import * as styles from './dialog.module.css'

interface DialogProps {
  title: string
  onClose: () => void
  children: ReactNode
  /** Hides the title visually if it is evident from the content. */
  hideTitle?: boolean
  /** Wraps the content in a form. */
  onSubmit?: () => void
  className?: string
  'data-testid'?: string
}

/** The native dialog element: it traps the focus, makes the rest inert, closes on Escape and restores the focus. */
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
  // Closed before unmounting: only then does the browser restore the focus.
  useLayoutEffect(() => {
    const element = dialog.current
    if (element && !element.open) element.showModal()
    // Focus the first input instead of the close button.
    element?.querySelector<HTMLElement>('[data-head] ~ * :is(input, textarea, select)')?.focus()
    return () => element?.close()
  }, [])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit?.()
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same as a click on the backdrop
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

/** Buttons of a dialog; the primary action last. */
export const DialogActions = ({ children }: { children: ReactNode }) => <div className={styles.actions}>{children}</div>
