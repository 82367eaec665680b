import { type ReactNode, useEffect, useState } from 'react'
import { texts } from '@/i18n/texts.ts'
import { Button } from './button.tsx'
import { CopyButton } from './field.tsx'
import { Icon, type IconName } from './icons.tsx'
import * as styles from './states.module.css'

interface EmptyStateProps {
  icon?: IconName
  title: string
  children?: ReactNode
  action?: ReactNode
}

/** Describes the empty state, with one action. */
export const EmptyState = ({ icon, title, children, action }: EmptyStateProps) => (
  <div data-ui="empty-state" className={styles.emptyState}>
    {icon && <Icon name={icon} />}
    <h2>{title}</h2>
    {children && <p>{children}</p>}
    {action}
  </div>
)

interface AccessDeniedProps {
  /** The missing permission. */
  ability: keyof typeof texts.ui.permission
  role: keyof typeof texts.shell.role
  /** Admins who can grant it. */
  admins: readonly string[]
  action?: ReactNode
}

/** For users who open a link without permission. */
export const AccessDenied = ({ ability, role, admins, action }: AccessDeniedProps) => (
  <EmptyState icon="lock" title={texts.ui.locked} action={action}>
    {texts.ui.lockedWhy(texts.ui.permission[ability], texts.shell.role[role])} {texts.ui.adminsCan(admins)}
  </EmptyState>
)

interface ErrorMessageProps {
  /** The error message of the server. */
  message: string
  /** Request id for the server log. */
  requestId?: string
  onRetry?: () => void
}

export const ErrorMessage = ({ message: sentence, requestId, onRetry: retry }: ErrorMessageProps) => (
  <div data-ui="error" className={styles.error} role="alert">
    <Icon name="warning" />
    <div className={styles.errorText}>
      <p>{sentence}</p>
      {requestId && (
        <p className={styles.errorId}>
          {texts.ui.requestId} <code>{requestId}</code> <CopyButton text={requestId} />
        </p>
      )}
    </div>
    {retry && (
      <Button icon="again" onClick={retry}>
        {texts.ui.tryAgain}
      </Button>
    )}
  </div>
)

/** A skeleton, shown after a short delay to avoid flicker. */
export function Loading() {
  const [isDelayed, setIsDelayed] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsDelayed(true), 120)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className={styles.loading} aria-busy="true">
      <span className="visually-hidden">{texts.ui.loading}</span>
      {isDelayed && <span className={styles.loadingShape} />}
    </div>
  )
}

/** Progress from 0 to 1; indeterminate without `part`. */
export const Progress = ({ label, part }: { label: string; part?: number }) => (
  <progress className={styles.progress} aria-label={label} max={1} value={part}>
    {part === undefined ? texts.ui.loading : texts.ui.progress(part)}
  </progress>
)
