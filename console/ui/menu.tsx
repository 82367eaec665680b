import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { Icon, type IconName } from './icons.tsx'
import { Kbd } from './kbd.tsx'
import * as styles from './menu.module.css'
import { Popover, type TriggerProps } from './popover.tsx'

export interface MenuItem {
  label: string
  icon?: IconName
  shortcut?: string
  kind?: 'danger'
  onSelect: () => void
}

interface MenuProps {
  label: string
  items: readonly MenuItem[]
  side?: 'start' | 'end'
  trigger: (props: MenuTriggerProps) => React.ReactNode
}

interface MenuTriggerProps extends TriggerProps {
  'aria-haspopup': 'menu'
  onKeyDown: (event: KeyboardEvent) => void
}

/** A menu of actions. Arrow keys, Home, End and type-ahead move the focus; arrow keys open it, and Tab closes it. */
export function Menu({ label, items, side = 'start', trigger: opener }: MenuProps) {
  const [isOpen, setIsOpen] = useState(false)
  const startsAtEnd = useRef(false)
  const openByKey = (event: KeyboardEvent) => {
    if (isOpen || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return
    event.preventDefault()
    startsAtEnd.current = event.key === 'ArrowUp'
    setIsOpen(true)
  }
  const toggle = (next: boolean) => {
    if (!next) startsAtEnd.current = false
    setIsOpen(next)
  }
  return (
    <Popover
      {...{ isOpen, label, side }}
      role="menu"
      onToggle={toggle}
      trigger={(props) => opener({ ...props, 'aria-haspopup': 'menu', onKeyDown: openByKey })}
    >
      <Items items={items} startsAtEnd={startsAtEnd.current} onDone={() => toggle(false)} />
    </Popover>
  )
}

interface ItemsProps {
  items: readonly MenuItem[]
  startsAtEnd: boolean
  onDone: () => void
}

function Items({ items, startsAtEnd, onDone }: ItemsProps) {
  const list = useRef<HTMLDivElement>(null)
  const rows = () => [...(list.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])]
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when it opens
  useEffect(
    () =>
      rows()
        .at(startsAtEnd ? -1 : 0)
        ?.focus(),
    [],
  )
  const move = (event: KeyboardEvent) => {
    // The focus moves on from the trigger.
    if (event.key === 'Tab') return onDone()
    const all = rows()
    const at = all.indexOf(document.activeElement as HTMLElement)
    const next = nextOf(event.key, at, all)
    if (!next) return
    event.preventDefault()
    next.focus()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: delegated key handler; the rows have the roles
    <div ref={list} onKeyDown={move}>
      {items.map(({ label, icon, shortcut: keys, kind, onSelect: run }) => (
        <button
          key={label}
          type="button"
          role="menuitem"
          tabIndex={-1}
          data-ui="menu-item"
          className={styles.item}
          data-kind={kind}
          onClick={() => {
            onDone()
            run()
          }}
        >
          {icon && <Icon name={icon} />}
          <span>{label}</span>
          {keys && <Kbd keys={keys} />}
        </button>
      ))}
    </div>
  )
}

/** The row a key moves the focus to. */
function nextOf(key: string, at: number, rows: readonly HTMLElement[]): HTMLElement | undefined {
  if (key === 'ArrowDown') return rows[(at + 1) % rows.length]
  if (key === 'ArrowUp') return rows[(at - 1 + rows.length) % rows.length]
  if (key === 'Home') return rows[0]
  if (key === 'End') return rows.at(-1)
  if (key.length !== 1 || key === ' ') return undefined
  const after = [...rows.slice(at + 1), ...rows.slice(0, at + 1)]
  return after.find(({ textContent }) => textContent?.trim().toLowerCase().startsWith(key.toLowerCase()))
}
