import * as styles from './kbd.module.css'

let pressed = (keys: string) => keys

/** Where somebody chose other keys, those are shown. */
export function setKeyNames(pressedFor: (keys: string) => string): void {
  pressed = pressedFor
}

/** Keys to press: `g h` one after the other, `mod+k` together. */
export const Kbd = ({ keys }: { keys: string }) => (
  <span data-ui="kbd" className={styles.kbd} aria-hidden="true">
    {pressed(keys)
      .split(' ')
      .map((key) => (
        <kbd key={key}>{spelled(key)}</kbd>
      ))}
  </span>
)

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

/** The same, said. */
export const spokenKeys = (keys: string) => pressed(keys).split(' ').map(spelled).join(' ')

/** As it stands on the keyboard. */
const spelled = (key: string) =>
  key
    .split('+')
    .map((part) => names[part] ?? part)
    .join(isMac ? '' : ' ')
