import { type ReactNode, useEffect, useState } from 'react'
import { words } from '@/i18n/texts.ts'
import { Button } from './button.tsx'
import { CopyButton } from './field.tsx'
import { Icon, type IconName } from './icons.tsx'

interface EmptyProps {
  icon?: IconName
  title: string
  children?: ReactNode
  /** The one thing to do about it. */
  action?: ReactNode
}

/** What would stand here, and the one thing to do. */
export const Empty = ({ icon, title, children, action }: EmptyProps) => (
  <div className="empty">
    {icon && <Icon name={icon} />}
    <h2>{title}</h2>
    {children && <p>{children}</p>}
    {action}
  </div>
)

interface LockedProps {
  /** The permission that is missing, and the role that does not have it. */
  ability: keyof typeof words.ui.mayDo
  role: keyof typeof words.shell.role
  /** Who can give it. */
  admins: readonly string[]
  action?: ReactNode
}

/** Somebody came by a link to what their role may not see. */
export const Locked = ({ ability, role, admins, action }: LockedProps) => (
  <Empty icon="lock" title={words.ui.locked} action={action}>
    {words.ui.lockedWhy(words.ui.mayDo[ability], words.shell.role[role])} {words.ui.whoCan(admins)}
  </Empty>
)

interface ProblemProps {
  /** The service's own sentence. */
  sentence: string
  /** By which the service's log names it. */
  requestId?: string
  onAgain?: () => void
}

/** What went wrong, in a sentence, and what to do. */
export const Problem = ({ sentence, requestId, onAgain }: ProblemProps) => (
  <div className="problem" role="alert">
    <Icon name="warning" />
    <div className="problem-words">
      <p>{sentence}</p>
      {requestId && (
        <p className="problem-id">
          {words.ui.requestId} <code>{requestId}</code> <CopyButton text={requestId} />
        </p>
      )}
    </div>
    {onAgain && (
      <Button icon="again" onClick={onAgain}>
        {words.ui.tryAgain}
      </Button>
    )}
  </div>
)

/** The shape of what is to come: nothing for a moment, so that nothing flickers. */
export function Waiting() {
  const [isLate, setIsLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsLate(true), 120)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className="waiting" aria-busy="true">
      <span className="unseen">{words.ui.loading}</span>
      {isLate && <span className="waiting-shape" />}
    </div>
  )
}

/** How far something has come, from 0 to 1; without a part, that it goes on. */
export const Progress = ({ label, part }: { label: string; part?: number }) => (
  <progress className="progress" aria-label={label} max={1} value={part}>
    {part === undefined ? words.ui.loading : words.ui.progress(part)}
  </progress>
)
