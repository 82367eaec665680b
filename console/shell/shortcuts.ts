import { useEffect, useMemo } from 'react'
import { getPreference, setPreference } from '@/api/preferences.ts'
import { createStore, useStore } from '@/store.ts'

export interface Shortcut {
  /** `g h` in sequence, `mod+k` together, `?` as typed. */
  keys: string
  /** Description in the list of shortcuts. */
  name: string
  run: (event: KeyboardEvent) => void
  /** Also active while a dialog is open. */
  inDialogs?: true
}

export interface ShortcutGroup {
  bindings: readonly Shortcut[]
  scope: 'screen' | 'everywhere'
}

const groups = createStore<readonly ShortcutGroup[]>([])
const singleKeys = createStore(getPreference('letters') !== 'off')
/** Custom keys by default keys. */
const customKeys = createStore(parseCustomKeys(getPreference('keys')))
let pendingPrefix = ''
let prefixTimer: ReturnType<typeof setTimeout> | undefined
/** Actions of the default keys seen so far; other screens can use the same keys for other actions. */
const known = new Map<string, Set<string>>()

/** Binds keys while the component is mounted; on conflicts the later binding wins. */
export function useShortcuts(bindings: readonly Shortcut[], scope: ShortcutGroup['scope'] = 'screen'): void {
  useEffect(() => {
    const group = { bindings, scope }
    for (const { keys, name } of bindings) known.set(keys, (known.get(keys) ?? new Set()).add(name))
    groups.set([...groups.get(), group])
    return () => groups.set(groups.get().filter((one) => one !== group))
  }, [bindings, scope])
}

/** The active shortcuts, those of the screen first. */
export function useActiveShortcuts(): readonly ShortcutGroup[] {
  const active = useStore(groups)
  return useMemo(
    () => active.toSorted((one, other) => Number(one.scope === 'everywhere') - Number(other.scope === 'everywhere')),
    [active],
  )
}

/** The shortcuts seen so far, with their actions and current keys. */
export function useCustomizableShortcuts() {
  const custom = useCustomShortcuts()
  useStore(groups)
  return [...known]
    .filter(([keys]) => isCustomizable(keys))
    .map(([keys, names]) => ({ keys, names: [...names], pressed: custom.get(keys) ?? keys }))
}

/** One character, or two in sequence: keys that act outside of text fields. */
const isCustomizable = (keys: string) => /^\S(?: \S)?$/.test(keys)

/** Assigns custom keys, or restores the default if empty. Returns whether the keys could be used. */
export function customizeShortcut(defaultKeys: string, requestedKeys: string): 'done' | 'unusable' | 'taken' {
  const keys = requestedKeys.trim()
  if (keys !== '' && !isCustomizable(keys)) return 'unusable'
  const next = new Map(customKeys.get())
  if (keys === '' || keys === defaultKeys) next.delete(defaultKeys)
  else next.set(defaultKeys, keys)
  const clashes = [...known.keys()].filter((one) => one !== defaultKeys).map((one) => next.get(one) ?? one)
  const currentKeys = next.get(defaultKeys) ?? defaultKeys
  // A single key that starts a sequence would make the sequence unreachable.
  if (
    clashes.some((one) => one === currentKeys || one.startsWith(`${currentKeys} `) || currentKeys.startsWith(`${one} `))
  )
    return 'taken'
  customKeys.set(next)
  setPreference('keys', next.size > 0 ? JSON.stringify(Object.fromEntries(next)) : '')
  return 'done'
}

function pressedFor(keys: string): string {
  return customKeys.get().get(keys) ?? keys
}

function parseCustomKeys(text: string): ReadonlyMap<string, string> {
  try {
    const read = Object.entries(JSON.parse(text || '{}') as object)
    return new Map(read.filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
  } catch {
    return new Map()
  }
}

/** Single-key shortcuts can be disabled: dictation and some keyboards trigger them by accident. */
export function setSingleKeys(isOn: boolean): void {
  singleKeys.set(isOn)
  setPreference('letters', isOn ? '' : 'off')
}

export const useSingleKeys = () => useStore(singleKeys)
export const useCustomShortcuts = () => useStore(customKeys)

addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.isComposing || isModifier(event.key)) return
  const name = keyName(event)
  const isLetter = !name.includes('mod+') && !name.includes('alt+') && event.key.length === 1
  if (isLetter && (!singleKeys.get() || isEditable(event.target))) return
  const binding = findShortcut(pendingPrefix && `${pendingPrefix} ${name}`) ?? findShortcut(name)
  clearTimeout(prefixTimer)
  pendingPrefix = !binding && isPrefix(name) ? name : ''
  if (pendingPrefix) {
    prefixTimer = setTimeout(() => {
      pendingPrefix = ''
    }, 1_500)
  }
  if (!binding || (!binding.inDialogs && document.querySelector('dialog:modal'))) return
  event.preventDefault()
  binding.run(event)
})

const findShortcut = (keys: string) =>
  keys === ''
    ? undefined
    : groups
        .get()
        .toReversed()
        .flatMap(({ bindings }) => bindings)
        .find((binding) => pressedFor(binding.keys) === keys)
const isPrefix = (name: string) =>
  groups.get().some(({ bindings }) => bindings.some(({ keys }) => pressedFor(keys).startsWith(`${name} `)))

/**
 * Characters as typed, so that `?` works on every keyboard layout; other keys by name. With Alt some layouts produce a different character
 * than the digit.
 */
function keyName({ key: pressedKey, code, metaKey, ctrlKey, altKey, shiftKey }: KeyboardEvent): string {
  const key = altKey && /^Digit\d$/.test(code) ? code.slice(5) : pressedKey
  const mod = metaKey || ctrlKey ? 'mod+' : ''
  const shift = shiftKey && key.length > 1 ? 'shift+' : ''
  return mod + (altKey ? 'alt+' : '') + shift + (mod && key.length === 1 ? key.toLowerCase() : key)
}

const isModifier = (key: string) => ['Control', 'Shift', 'Alt', 'Meta', 'AltGraph'].includes(key)
const isEditable = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.matches('textarea, select, input:not([type=checkbox], [type=radio], [type=button])'))
