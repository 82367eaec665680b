import type { ButtonHTMLAttributes, ReactNode } from 'react'
import { Icon, type IconName } from './icons.tsx'
import { Kbd } from './kbd.tsx'
import { Tooltip } from './popover.tsx'

interface Appearance {
  /** `main` is the one thing to do next, `bare` has no edge, `danger` takes something away. */
  variant?: 'main' | 'bare' | 'danger'
  icon?: IconName
}

interface ButtonProps extends Appearance, Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled'> {
  children: ReactNode
  /** What it was pressed for is under way; a second press does nothing. */
  busy?: boolean
  /** Why it cannot be pressed. It can be reached all the same, and then says so. */
  disabledReason?: string | undefined
  shortcut?: string
}

export function Button({
  variant: kind,
  icon,
  children,
  busy = false,
  disabledReason: refuses,
  shortcut: keys,
  onClick,
  ...rest
}: ButtonProps) {
  const idle = busy || refuses !== undefined
  return (
    <button
      type="button"
      {...rest}
      className={`button ${rest.className ?? ''}`}
      data-kind={kind}
      data-busy={busy || undefined}
      aria-disabled={idle || undefined}
      title={refuses}
      onClick={idle ? (event) => event.preventDefault() : onClick}
    >
      {icon && <Icon name={icon} />}
      {children}
      {keys && <Kbd keys={keys} />}
    </button>
  )
}

interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children' | 'title'> {
  icon: IconName
  /** What it does, told to whoever cannot tell by the sign. */
  label: string
  variant?: Appearance['variant']
}

/** A button that shows a sign alone; its word appears beside it under pointer and focus. */
export function IconButton({ icon, label, variant: kind = 'bare', className = '', ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <button type="button" {...rest} className={`button ${className}`} data-kind={kind} data-icon aria-label={label}>
        <Icon name={icon} />
      </button>
    </Tooltip>
  )
}

interface LinkButtonProps extends Appearance {
  href: string
  children: ReactNode
}

/** A link that looks like a button: it goes somewhere. */
export const LinkButton = ({ href, variant: kind, icon, children }: LinkButtonProps) => (
  <a className="button" data-kind={kind} href={href}>
    {icon && <Icon name={icon} />}
    {children}
  </a>
)
