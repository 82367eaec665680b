import type { ButtonHTMLAttributes, ReactNode } from 'react'
import * as styles from './button.module.css'
import { Icon, type IconName } from './icons.tsx'
import { Kbd } from './kbd.tsx'
import { Tooltip } from './popover.tsx'

interface Appearance {
  /** `primary` is the main action of its context, `ghost` has no border, `danger` deletes. */
  variant?: 'primary' | 'ghost' | 'danger'
  icon?: IconName
}

interface ButtonProps extends Appearance, Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled'> {
  children: ReactNode
  /** The action is running; further clicks are ignored. */
  busy?: boolean
  /** Why it is disabled. It stays focusable, so that the reason can be read. */
  disabledReason?: string | undefined
  shortcut?: string
}

export function Button({
  variant,
  icon,
  children,
  busy = false,
  disabledReason,
  shortcut,
  onClick,
  ...rest
}: ButtonProps) {
  const idle = busy || disabledReason !== undefined
  return (
    <button
      type="button"
      {...rest}
      data-ui="button"
      className={`${styles.button} ${rest.className ?? ''}`}
      data-variant={variant}
      data-busy={busy || undefined}
      aria-disabled={idle || undefined}
      title={disabledReason}
      onClick={idle ? (event) => event.preventDefault() : onClick}
    >
      {icon && <Icon name={icon} />}
      {children}
      {shortcut && <Kbd keys={shortcut} />}
    </button>
  )
}

interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children' | 'title'> {
  icon: IconName
  /** Accessible name and tooltip. */
  label: string
  variant?: Appearance['variant']
}

/** An icon-only button; its label appears as a tooltip on hover and focus. */
export function IconButton({ icon, label, variant = 'ghost', className = '', ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <button
        type="button"
        {...rest}
        data-ui="button"
        className={`${styles.button} ${className}`}
        data-variant={variant}
        data-icon
        aria-label={label}
      >
        <Icon name={icon} />
      </button>
    </Tooltip>
  )
}

interface LinkButtonProps extends Appearance {
  href: string
  children: ReactNode
}

/** A link styled as a button. */
export const LinkButton = ({ href, variant, icon, children }: LinkButtonProps) => (
  <a data-ui="button" className={styles.button} data-variant={variant} href={href}>
    {icon && <Icon name={icon} />}
    {children}
  </a>
)
