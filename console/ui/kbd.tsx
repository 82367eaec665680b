import { createContext, useContext } from 'react'
import * as styles from './kbd.module.css'

/** The user's custom keys by default keys. */
export const CustomKeys = createContext<ReadonlyMap<string, string>>(new Map())

/** Keys: `g h` in sequence, `mod+k` together. */
export function Kbd({ keys }: { keys: string }) {
  const pressed = useContext(CustomKeys).get(keys) ?? keys
  return (
    <span data-ui="kbd" className={styles.kbd} aria-hidden="true">
      {pressed.split(' ').map((key) => (
        <kbd key={key}>{keyLabel(key)}</kbd>
      ))}
    </span>
  )
}

const isMac = /Mac|iPhone|iPad/.test(navigator.platform)
const names: { [key: string]: string } = {
  mod: isMac ? '⌘' : 'Ctrl',
  alt: isMac ? '⌥' : 'Alt',
  shift: '⇧',
  Enter: '↵',
  Escape: 'Esc',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
}

export function SpokenKeys({ keys }: { keys: string }) {
  const pressed = useContext(CustomKeys).get(keys) ?? keys
  return <span className="visually-hidden">{pressed.split(' ').map(keyLabel).join(' ')}</span>
}

/** As printed on the keyboard. */
const keyLabel = (key: string) =>
  key
    .split('+')
    .map((part) => names[part] ?? part)
    .join(isMac ? '' : ' ')
