import { useEffect, useSyncExternalStore } from 'react'
import { keep, recall } from '../wire/kept.ts'

export interface Binding {
  /** `g h` one after the other, `mod+k` together, `?` as it is typed. */
  keys: string
  /** What it does, for the list of keys. */
  name: string
  run: (event: KeyboardEvent) => void
  /** Also while a dialog is open. */
  inDialogs?: true
}

interface Group {
  bindings: readonly Binding[]
  scope: 'screen' | 'everywhere'
}

let groups: readonly Group[] = []
let first = ''
let forget: ReturnType<typeof setTimeout> | undefined
let areLettersOff = recall('letters') === 'off'
const hearers = new Set<() => void>()

/** Binds keys for as long as whoever asks is on the screen; of two that want the same the later has it. */
export function useKeys(bindings: readonly Binding[], scope: Group['scope'] = 'screen'): void {
  useEffect(() => {
    const group = { bindings, scope }
    groups = [...groups, group]
    return () => {
      groups = groups.filter((one) => one !== group)
    }
  }, [bindings, scope])
}

/** The keys that act now, those of the screen first. */
export const boundKeys = (): readonly Group[] =>
  [...groups].sort((one, other) => Number(one.scope === 'everywhere') - Number(other.scope === 'everywhere'))

/** Single letters can be switched off: dictation and some keyboards press them unmeant. */
export function switchLetters(isOn: boolean): void {
  areLettersOff = !isOn
  keep('letters', isOn ? '' : 'off')
  for (const hear of hearers) hear()
}

const listen = (hear: () => void) => {
  hearers.add(hear)
  return () => void hearers.delete(hear)
}
export const useLetters = () => useSyncExternalStore(listen, () => !areLettersOff)

addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.isComposing || isModifier(event.key)) return
  const name = nameOf(event)
  const isLetter = !name.includes('mod+') && !name.includes('alt+') && event.key.length === 1
  if (isLetter && (areLettersOff || writes(event.target))) return
  const binding = find(first && `${first} ${name}`) ?? find(name)
  clearTimeout(forget)
  first = !binding && begins(name) ? name : ''
  if (first) {
    forget = setTimeout(() => {
      first = ''
    }, 1_500)
  }
  if (!binding || (!binding.inDialogs && document.querySelector('dialog:modal'))) return
  event.preventDefault()
  binding.run(event)
})

const find = (keys: string) =>
  keys === ''
    ? undefined
    : groups
        .toReversed()
        .flatMap(({ bindings }) => bindings)
        .find((binding) => binding.keys === keys)
const begins = (name: string) => groups.some(({ bindings }) => bindings.some(({ keys }) => keys.startsWith(`${name} `)))

/** Letters as they are typed, so `?` is `?` on every keyboard; other keys by their names. With Alt some keyboards type another sign than a digit. */
function nameOf({ key: typed, code, metaKey, ctrlKey, altKey, shiftKey }: KeyboardEvent): string {
  const key = altKey && /^Digit\d$/.test(code) ? code.slice(5) : typed
  const mod = metaKey || ctrlKey ? 'mod+' : ''
  const shift = shiftKey && key.length > 1 ? 'shift+' : ''
  return mod + (altKey ? 'alt+' : '') + shift + (mod && key.length === 1 ? key.toLowerCase() : key)
}

const isModifier = (key: string) => ['Control', 'Shift', 'Alt', 'Meta', 'AltGraph'].includes(key)
const writes = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.matches('textarea, select, input:not([type=checkbox], [type=radio], [type=button])'))
