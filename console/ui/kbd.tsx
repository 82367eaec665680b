/** Keys to press: `g h` one after the other, `mod+k` together. */
export const Kbd = ({ keys }: { keys: string }) => (
  <span className="kbd" aria-hidden="true">
    {keys.split(' ').map((key) => (
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

/** As it stands on the keyboard; also said in lists of keys. */
export const spelled = (key: string) =>
  key
    .split('+')
    .map((part) => names[part] ?? part)
    .join(isMac ? '' : ' ')
